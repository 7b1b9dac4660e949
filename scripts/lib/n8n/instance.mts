import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { IRunExecutionData } from 'n8n-workflow';
import { environment, freePort, run, spawnGroup, until } from '../command.mts';
import { installN8n } from './install.mts';
import { type Login, N8nRest } from './rest.mts';

type InstanceOptions = {
	/** By default, the newest line of n8n. */
	line?: string;
	/** n8n's user folder, with its database, its log and installed packages. */
	folder: string;
	/** The packed package to install before the start. */
	tarball?: string;
	role?: 'main' | 'worker';
	/** The preferred port. */
	port?: number;
	env?: Record<string, string>;
};

export const owner: Login = { email: 'demo@example.com', password: 'Form-Service-1' };

const PACKAGE = 'n8n-nodes-formservice';
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 30_000;

const SETTINGS = {
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_HOST: '127.0.0.1',
	// the same at every start; data of demos and tests only
	N8N_ENCRYPTION_KEY: 'n8n-nodes-formservice',
	N8N_SECURE_COOKIE: 'false',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	N8N_LOG_LEVEL: 'debug',
	NODE_ENV: 'production',
	NODE_OPTIONS: '',
};

/** The Node.js that n8n runs on: the project's, or the path in N8N_NODE. */
const node = process.env.N8N_NODE ?? 'node';

/** The machine's environment without variables of another n8n. */
const ownEnvironment = () =>
	Object.fromEntries(
		Object.entries(environment()).filter(
			([name]) => !/^(N8N|DB|EXECUTIONS|QUEUE|WEBHOOK|NODES|VITEST)_?/.test(name),
		),
	);

/** What n8n stores executions with. */
type Flatted = { parse: (text: string) => IRunExecutionData };

/** Starts an n8n, which ends with `cleanup`. */
export async function startN8n(
	options: InstanceOptions,
	cleanup: AsyncDisposableStack,
): Promise<N8n> {
	const n8n = new N8n(options);
	cleanup.defer(async () => await n8n.stop());
	await n8n.start();
	return n8n;
}

/** A process of n8n with its child processes. It can be started again after its end. */
export class N8n {
	/** The client of n8n's REST interface, signed in as the owner. Available after the start. */
	rest!: N8nRest;
	private readonly logFile: string;
	private readonly options: InstanceOptions;
	private child?: ChildProcess;
	private ports?: { web: number; broker: number };

	constructor(options: InstanceOptions) {
		this.options = options;
		this.logFile = join(options.folder, 'n8n.log');
	}

	get url(): string {
		return `http://127.0.0.1:${this.ports!.web}`;
	}

	/**
	 * Starts n8n, waits until it is ready, and signs in. After a kill, n8n can end while it recovers executions. It
	 * skips the recovery at its next start, so it is then started once more, as a process manager would do.
	 */
	async start(): Promise<void> {
		await this.startOnce().catch(async (error: Error) => {
			console.log(`${error.message}\nn8n is started once more.`);
			await this.startOnce();
		});
	}

	private async startOnce(): Promise<void> {
		const { line, folder, tarball, role = 'main', env } = this.options;
		const program = join(await installN8n(line), 'node_modules', 'n8n', 'bin', 'n8n');
		const { parse } = createRequire(program)('flatted') as Flatted;
		await mkdir(folder, { recursive: true });
		if (tarball) await this.unpack(tarball);
		this.ports ??= { web: await freePort(this.options.port), broker: await freePort() };
		const { web, broker } = this.ports;
		const log = await open(this.logFile, 'a');
		// with one execution at a time, the next execution goes to the other worker
		const command = role === 'worker' ? ['worker', '--concurrency=1'] : ['start'];
		const child = spawnGroup(node, [program, ...command], log.fd, {
			cwd: folder,
			env: {
				...ownEnvironment(),
				...SETTINGS,
				// on Node 20, n8n 1.x runs only with the older engine
				...(line?.startsWith('1.') && { N8N_EXPRESSION_ENGINE: 'legacy' }),
				N8N_USER_FOLDER: folder,
				N8N_PORT: String(web),
				N8N_RUNNERS_BROKER_PORT: String(broker),
				QUEUE_HEALTH_CHECK_ACTIVE: 'true',
				QUEUE_HEALTH_CHECK_PORT: String(web),
				...env,
			},
		});
		await log.close();
		this.child = child;
		child.once('exit', () => (this.child = undefined));
		await this.ready();
		if (role === 'worker') return;
		this.rest = new N8nRest(this.url, parse);
		await this.rest.signIn(owner);
	}

	async stop(): Promise<void> {
		await this.end('SIGTERM');
	}

	/** Kills n8n, as a crash would. */
	async kill(): Promise<void> {
		await this.end('SIGKILL');
	}

	async log(): Promise<string> {
		return await readFile(this.logFile, 'utf8');
	}

	private async unpack(tarball: string): Promise<void> {
		const folder = join(this.options.folder, '.n8n', 'nodes', 'node_modules', PACKAGE);
		await mkdir(folder, { recursive: true });
		await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
	}

	private async end(signal: NodeJS.Signals): Promise<void> {
		const { child } = this;
		if (!child?.pid) return;
		const group = -child.pid;
		const ended = once(child, 'exit');
		process.kill(group, signal);
		const timer = setTimeout(() => process.kill(group, 'SIGKILL'), STOP_TIMEOUT_MS);
		await ended;
		clearTimeout(timer);
		try {
			process.kill(group, 'SIGKILL');
		} catch {
			// nothing of the group is left
		}
	}

	private async ready(): Promise<void> {
		// n8n 1.x reports that it is ready before its interface is
		const paths =
			this.options.role === 'worker' ? ['/healthz'] : ['/healthz/readiness', '/rest/settings'];
		const answers = async (path: string) =>
			(await fetch(this.url + path).catch(() => undefined))?.ok ?? false;
		const isReady = async () => (await Promise.all(paths.map(answers))).every(Boolean);
		const isDecided = async () => !this.child || (await isReady());
		if ((await until(isDecided, START_TIMEOUT_MS, 250)) && this.child) return;
		const why = this.child ? 'was not ready in time' : 'ended while it started';
		await this.kill();
		const end = (await this.log()).split('\n').slice(-40).join('\n');
		throw new Error(`n8n ${why}. The end of its log:\n${end}`);
	}
}
