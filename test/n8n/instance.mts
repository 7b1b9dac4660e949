import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import { N8n } from '../../scripts/lib/n8n/instance.mts';
import { type Execution, type N8nRest, workflowNode } from '../../scripts/lib/n8n/rest.mts';
import { packedPackage } from '../../scripts/lib/packedPackage.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { type Service, type ServiceOptions, startService } from '../service/index.mts';

/** A saved credential, as a node names it. */
export type Credential = { id: string; name: string };
export type Instance = { n8n: N8n; folder: string; credential: Credential };
type Access = Pick<Service, 'token' | 'baseUrl'>;

/** Starts a service whose limits no test reaches; it ends with `cleanup`. */
export async function startUnlimited(
	cleanup: AsyncDisposableStack,
	options: ServiceOptions = {},
): Promise<Service> {
	const service = await startService({ perMinute: 100_000, perDay: 1_000_000, ...options });
	cleanup.defer(async () => await service.close());
	return service;
}

/** Saves the credential of a service's account. */
export async function saveAccount(rest: N8nRest, { token, baseUrl }: Access): Promise<Credential> {
	const name = 'Form Service account';
	const data = { accessToken: token, baseUrl };
	return { id: await rest.saveCredential({ name, type: 'formServiceApi', data }), name };
}

/** An n8n with these settings and a credential for the service. */
export async function startInstance(
	access: Access,
	env: Record<string, string>,
	cleanup: AsyncDisposableStack,
	line?: string,
): Promise<Instance> {
	const folder = await temporaryFolder('n8n-instance', cleanup);
	const tarball = await packedPackage();
	const n8n = new N8n({ line, folder, tarball, env });
	cleanup.defer(async () => await n8n.stop());
	await n8n.start();
	return { n8n, folder, credential: await saveAccount(n8n.rest, access) };
}

const RUN_TIMEOUT_MS = 120_000;

/** Runs operations of the node by hand, each on its own, and gives the execution when it has ended. */
export async function runOperations(
	{ n8n: { rest }, credential }: Instance,
	operations: Record<string, INodeParameters>,
): Promise<Execution> {
	const names = Object.keys(operations);
	const nodes = names.map((name, index) =>
		workflowNode(name, 'n8n-nodes-formservice.formService', {
			position: [240, index * 200],
			credentials: { formServiceApi: credential },
			onError: 'continueRegularOutput',
			parameters: operations[name],
		}),
	);
	const start = workflowNode('Start', 'n8n-nodes-base.manualTrigger');
	const workflowId = await rest.createWorkflow({
		name: names.join(', '),
		nodes: [start, ...nodes],
		connections: { Start: { main: [names.map((node) => ({ node, type: 'main', index: 0 }))] } },
		settings: { executionOrder: 'v1' },
	});
	return await ended({ n8n: { rest } }, await rest.run(workflowId, 'Start'));
}

/** An execution when it has ended. */
export async function ended(
	{ n8n: { rest } }: { n8n: Pick<N8n, 'rest'> },
	id: string,
): Promise<Execution> {
	const deadline = Date.now() + RUN_TIMEOUT_MS;
	for (;;) {
		const execution = await rest.execution(id);
		if (!['new', 'running'].includes(execution.status)) return execution;
		if (Date.now() > deadline) throw new Error(`Execution ${id} did not end.`);
		await sleep(250);
	}
}

/** Prints the figures of a part, and leaves them to scripts/test-n8n where it has asked for them. */
export async function report(part: string, figures: Record<string, unknown>): Promise<void> {
	console.log(`${part}\n${JSON.stringify(figures, null, 2)}`);
	const folder = process.env.FIGURES_FOLDER;
	if (!folder) return;
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, `${part}.json`), JSON.stringify(figures));
}
