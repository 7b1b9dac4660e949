import { freePort, step } from '../lib/command.mts';
import { demoForms, type Service, startService } from '../../test/service/index.mts';
import {
	canBeActive,
	type Choices,
	exampleFiles,
	fillIn,
	readExample,
} from '../lib/n8n/examples.mts';
import { installN8n } from '../lib/n8n/install.mts';
import { type N8n, startN8n } from '../lib/n8n/instance.mts';
import { type N8nRest, workflowNode } from '../lib/n8n/rest.mts';
import { packedPackage } from '../lib/packedPackage.mts';

/** The data tables of two examples, with a column for each question. */
const COLUMNS = ['response', 'submitted_at', 'name', 'email', 'phone', 'message'];
const TABLES = ['Responses', 'Latest Answers'];

export type World = Awaited<ReturnType<typeof startWorld>>;

/**
 * Starts a seeded service, and an n8n with the packed package, the credential and the example workflows. All end
 * with `cleanup`, even if this function fails.
 */
export async function startWorld(
	folder: string,
	cleanup: AsyncDisposableStack,
	ports: { service?: number; n8n?: number } = {},
) {
	// both take long on a fresh machine, and neither keeps two processors busy
	const [tarball] = await Promise.all([packedPackage(), installN8n()]);
	const port = await freePort(ports.service);
	const service = await startService({ port, perMinute: 600 });
	cleanup.defer(async () => await service.close());

	// n8n's own default is New York
	const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
	const env = { GENERIC_TIMEZONE: timeZone };
	const options = { folder, tarball, port: ports.n8n, env };
	const n8n = await step('Starting n8n', async () => await startN8n(options, cleanup));
	const title = 'Preparing the credential and the workflows';
	return { service, n8n, ...(await step(title, async () => await prepare(n8n, service))) };
}

async function prepare({ rest }: N8n, service: Service) {
	const choices: Choices = {
		credential: await rest.saveAccount(service),
		form: { id: demoForms.contact, name: 'Contact' },
		fields: service.store.fields(demoForms.contact),
		answers: {
			Name: '={{ $json.body.name }}',
			Email: '={{ $json.body.email }}',
			Message: '={{ $json.body.message }}',
		},
		identifiedBy: ['Message'],
		settings: { captcha: 'altcha', show_multipage_progress: true },
		subWorkflow: await createHandler(rest),
	};
	const tables: Record<string, string> = {};
	for (const name of TABLES) tables[name] = await rest.createTable(name, COLUMNS);
	const ids: Record<string, string> = {};
	for (const file of await exampleFiles()) {
		const example = await readExample(file);
		const id = await rest.createWorkflow(fillIn(example, choices));
		// what is there until then is the baseline of its trigger
		if (canBeActive(example)) await rest.activate(id);
		ids[file] = id;
	}
	return { workflows: ids, choices, tables };
}

/** Creates the workflow to which two of the examples pass responses, one by one. */
async function createHandler(rest: N8nRest): Promise<{ id: string; name: string }> {
	const name = 'Handle One Response';
	const type = 'n8n-nodes-base.executeWorkflowTrigger';
	const parameters = { inputSource: 'passthrough' };
	const id = await rest.createWorkflow({
		name,
		nodes: [
			workflowNode('Response', type, { typeVersion: 1.1, parameters }),
			workflowNode('Handle', 'n8n-nodes-base.noOp', { position: [240, 0] }),
		],
		connections: { Response: { main: [[{ node: 'Handle', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	});
	await rest.activate(id);
	return { id, name };
}
