import { createRequire } from 'node:module';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IRunExecutionData } from 'n8n-workflow';
import { run } from '../command.mts';
import { installN8n } from './install.mts';
import { N8nProcess, type ProcessOptions } from './process.mts';
import { type Login, N8nRest } from './rest.mts';

export const owner: Login = { email: 'demo@example.com', password: 'Form-Service-1' };

const PACKAGE = 'n8n-nodes-formservice';

/** Puts the packed package where n8n keeps community nodes, in place of what was there. */
async function unpack(tarball: string, userFolder: string) {
	const folder = join(userFolder, '.n8n', 'nodes', 'node_modules', PACKAGE);
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
}

/** n8n's own reader of execution data. */
export async function executionReader(line?: string) {
	const requireFromN8n = createRequire(
		join(await installN8n(line), 'node_modules', 'n8n', 'package.json'),
	);
	const { parse } = requireFromN8n('flatted') as { parse: (text: string) => IRunExecutionData };
	return parse;
}

/** An n8n process with the package installed; its owner signs in at each start. */
export class N8n extends N8nProcess {
	rest!: N8nRest;
	private readonly setup: ProcessOptions & { tarball: string };

	constructor(setup: ProcessOptions & { tarball: string }) {
		super(setup);
		this.setup = setup;
	}

	override async start(): Promise<void> {
		const { line, folder, tarball, role } = this.setup;
		await unpack(tarball, folder);
		await super.start();
		if (role === 'worker') return;
		this.rest = new N8nRest(this.url, await executionReader(line));
		await this.rest.signIn(owner);
	}
}
