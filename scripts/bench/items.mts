import type { INode, INodeType, INodeTypes } from 'n8n-workflow';
import { itemsOf, locator, n8nFor } from '../../test/integration/harness.mts';
import { createAdditionalData } from '../../test/integration/n8n/additionalData.mts';
import { core, workflow as n8n } from '../../test/integration/n8n/core.mts';
import { beginningAt } from '../../test/integration/n8n/runData.mts';
import { startBodyServer } from './listing.mts';
import { median, ms, ratio } from './measure.mts';
import type { Table } from './page.mts';

const ITEMS = 1_000;
const RUNS = 5;

/** A declarative node that sends the same request, and does nothing else. */
const plainNode = {
	description: {
		displayName: 'Plain',
		name: 'plain',
		group: [],
		version: 1,
		description: 'A plain declarative node',
		defaults: { name: 'Plain' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'formServiceApi', required: true }],
		requestDefaults: {
			baseURL: '={{$credentials.baseUrl}}',
			headers: { accept: 'application/json' },
		},
		properties: [
			{
				displayName: 'Title',
				name: 'title',
				type: 'string',
				default: '',
				routing: {
					request: { method: 'POST', url: '=/api/v1/forms/a/settings' },
					send: { type: 'body', property: 'seo_title' },
				},
			},
		],
	},
	async execute(this: unknown) {
		const context = this as ConstructorParameters<typeof core.RoutingNode>[0];
		return (await new core.RoutingNode(context, plainNode as unknown as INodeType).runNode()) ?? [];
	},
};

const nodeTypes = {
	getByName: () => plainNode,
	getByNameAndVersion: () => plainNode,
	getKnownTypes: () => ({}),
} as unknown as INodeTypes;

const input = () =>
	itemsOf(...Array.from({ length: ITEMS }, (_, index) => ({ title: `Title ${index}` })));

async function runPlain(baseUrl: string): Promise<number> {
	const node: INode = {
		id: 'plain',
		name: 'Plain',
		type: 'plain',
		typeVersion: 1,
		position: [0, 0],
		credentials: { formServiceApi: { id: '1', name: 'Account' } },
		parameters: { title: '={{ $json.title }}' },
	};
	const workflow = new n8n.Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes,
		settings: { executionOrder: 'v1' },
	});
	const data = createAdditionalData({ accessToken: 'bench', baseUrl }, 'trigger');
	const execution = new core.WorkflowExecute(data, 'trigger', beginningAt(node, input()));
	const run = await execution.processRunExecutionData(workflow);
	return run.data.resultData.runData.Plain.at(-1)?.data?.main[0]?.length ?? 0;
}

/** What an item costs beyond n8n's own routing. */
export async function items(): Promise<Table> {
	const server = await startBodyServer();
	await server.serve(
		'{"success":true,"message":"Updated.","data":{"id":"a","name":"A","updated_at":"2026-01-01T00:00:00.000000Z"}}',
	);
	const { runNode } = n8nFor({ accessToken: 'bench', baseUrl: server.url });
	const ours = async () => {
		const parameters = {
			resource: 'settings',
			operation: 'update',
			formId: locator('a'),
			inputMode: 'json',
			settingsJson: '={{ JSON.stringify({ seo_title: $json.title }) }}',
		};
		const { items: given, error } = await runNode(parameters, input());
		if (error) throw error;
		return given.length;
	};
	const figures = { ours: [] as number[], plain: [] as number[] };
	for (let run = 0; run <= RUNS; run++) {
		const [own, plain] = [await cpu(ours), await cpu(async () => await runPlain(server.url))];
		// the first warms up
		if (run > 0) {
			figures.ours.push(own);
			figures.plain.push(plain);
		}
	}
	server.close();
	const [own, plain] = [median(figures.ours), median(figures.plain)];
	return {
		title: 'An item',
		text: `${ITEMS.toLocaleString('en')} items of Setting: Update against a local service without limits, beside a plain declarative node that sends the same request; processor time, medians.`,
		head: ['This node', 'Plain node', 'Ratio', 'Goal'],
		rows: [[ms(own), ms(plain), ratio(own / plain), 'at most 1.25 times']],
	};
}

async function cpu(work: () => Promise<number>): Promise<number> {
	const before = process.cpuUsage();
	const count = await work();
	if (count !== ITEMS) throw new Error(`${count} of ${ITEMS} items came out`);
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}
