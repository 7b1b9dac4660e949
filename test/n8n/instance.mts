import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import type { Line } from '../../scripts/lib/n8n/install.mts';
import { N8n } from '../../scripts/lib/n8n/instance.mts';
import { type Execution, workflowNode } from '../../scripts/lib/n8n/rest.mts';
import { packedPackage } from '../../scripts/lib/packedPackage.mts';
import { root } from '../../scripts/lib/paths.mts';

export type Instance = { n8n: N8n; folder: string; credential: { id: string; name: string } };

/** An n8n with these settings and a credential for the service. */
export async function startInstance(
	access: { accessToken: string; baseUrl: string },
	env: Record<string, string>,
	cleanup: AsyncDisposableStack,
	line: Line = '2.x',
): Promise<Instance> {
	const folder = await mkdtemp(join(tmpdir(), 'n8n-instance-'));
	cleanup.defer(async () => await rm(folder, { recursive: true, force: true }));
	const tarball = await packedPackage(join(root, '.demo', 'package'));
	const n8n = new N8n({ line, folder, tarball, env });
	cleanup.defer(async () => await n8n.stop());
	await n8n.start();
	const name = 'Form Service account';
	const id = await n8n.rest.saveCredential({ name, type: 'formServiceApi', data: access });
	return { n8n, folder, credential: { id, name } };
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
