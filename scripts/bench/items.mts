import { fileURLToPath } from 'node:url';
import type { INode, INodeType, INodeTypes } from 'n8n-workflow';
import { itemsOf, locator } from '../../test/integration/harness.mts';
import { createAdditionalData } from '../../test/integration/n8n/additionalData.mts';
import { core, workflow as n8n } from '../../test/integration/n8n/core.mts';
import { nodeOf, typeOf } from '../../test/integration/n8n/package.mts';
import { beginningAt } from '../../test/integration/n8n/runData.mts';
import { startBodyServer } from './listing.mts';
import { inOwnProcess, median, medians, ms, duration, ratio } from './measure.mts';
import type { Table } from './page.mts';

const ITEMS = 1_000;
const ROUNDS = 5;

const own = nodeOf(typeOf('formService'));

/**
 * The same node as n8n's routing runs it by itself: with all that is declared, the body too, and
 * without the check of the items and the sending that are ours.
 */
function plainNode(): INodeType {
	const { requestOperations: _ours, ...description } = own.description;
	const properties = description.properties.map((property) => {
		if (property.name === 'settingsJson') {
			const send = { type: 'body', property: 'seo_title', value: '={{ $json.title }}' } as const;
			return { ...property, routing: { send } };
		}
		if (property.name !== 'operation' || property.type !== 'options') return property;
		const options = property.options!.map((option) =>
			'routing' in option ? { ...option, routing: { request: option.routing!.request } } : option,
		);
		return { ...property, options } as typeof property;
	});
	const node: INodeType = { description: { ...description, properties } };
	node.execute = async function () {
		const context = this as unknown as ConstructorParameters<typeof core.RoutingNode>[0];
		return (await new core.RoutingNode(context, node).runNode()) ?? [];
	};
	return node;
}

/** Runs a node over the items, and says how many came out. */
async function runOver(type: INodeType, baseUrl: string, count = ITEMS): Promise<void> {
	const node: INode = {
		id: 'node',
		name: 'Node',
		type: typeOf('formService'),
		typeVersion: 1,
		position: [0, 0],
		credentials: { formServiceApi: { id: '1', name: 'Account' } },
		parameters: {
			resource: 'settings',
			operation: 'update',
			formId: locator('a'),
			inputMode: 'json',
			settingsJson: '={{ JSON.stringify({ seo_title: $json.title }) }}',
		},
	};
	const nodeTypes: INodeTypes = {
		getByName: () => type,
		getByNameAndVersion: () => type,
		getKnownTypes: () => ({}),
	};
	const workflow = new n8n.Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes,
		settings: { executionOrder: 'v1' },
	});
	const input = itemsOf(
		...Array.from({ length: count }, (_, index) => ({ title: `Title ${index}` })),
	);
	const data = createAdditionalData({ accessToken: 'bench', baseUrl }, 'trigger');
	const execution = new core.WorkflowExecute(data, 'trigger', beginningAt(node, input));
	const { data: run } = await execution.processRunExecutionData(workflow);
	const { error, runData } = run.resultData;
	if (error) throw error;
	const given = runData.Node.at(-1)?.data?.main[0]?.length;
	if (given !== count) throw new Error(`${given} of ${count} items came out`);
}

const COUNTED = 50;
/** Room for all that the counted items allocate: garbage collection would hide it. */
const NO_COLLECTION = ['--min-semi-space-size=512', '--max-semi-space-size=512'];

const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)} KB`;

/** Bytes of the heap that an item takes, in this process; a collection in between shows as far too few. */
async function allocatedBy(type: INodeType, url: string): Promise<number> {
	const measured: number[] = [];
	for (let round = 0; round < 7; round++) {
		const before = process.memoryUsage().heapUsed;
		await runOver(type, url, COUNTED);
		measured.push((process.memoryUsage().heapUsed - before) / COUNTED);
	}
	return median(measured);
}

/** What an item costs beyond n8n's own routing. */
export async function items(): Promise<Table> {
	const server = await startBodyServer();
	await server.serve(
		'{"success":true,"message":"Updated.","data":{"id":"a","name":"A","updated_at":"2026-01-01T00:00:00.000000Z"}}',
	);
	const plain = plainNode();
	const works = {
		own: async () => await runOver(own, server.url),
		plain: async () => await runOver(plain, server.url),
	};
	const time = await medians(ROUNDS, duration, works);
	const file = fileURLToPath(import.meta.url);
	const bytes = {
		own: await inOwnProcess(file, ['own', server.url], NO_COLLECTION),
		plain: await inOwnProcess(file, ['plain', server.url], NO_COLLECTION),
	};
	server.close();
	return {
		title: 'An item',
		text: `1,000 items of Setting: Update against a local service without limits, beside the same node as n8n’s routing runs it by itself, with the same parameters and requests, but without the check of all items before the first request, the rate limiter and the repetitions. Medians of ${ROUNDS} runs each. The goal for the time is missed; a profile shows two reasons: n8n resolves the parameters once more for the check, and four requests at a time, each with a connection of its own, take more of Node than all at once.`,
		head: ['', 'This node', 'n8n’s routing alone', 'Ratio', 'Goal'],
		rows: [
			['Time', ms(time.own), ms(time.plain), ratio(time.own / time.plain), 'at most 1.25 times'],
			[
				'Memory allocated for an item',
				kilobytes(bytes.own),
				kilobytes(bytes.plain),
				ratio(bytes.own / bytes.plain),
				'at most 1.25 times',
			],
		],
	};
}

const [, , kind, url] = process.argv;
if (process.send !== undefined && (kind === 'own' || kind === 'plain')) {
	process.send(await allocatedBy(kind === 'own' ? own : plainNode(), url));
}
