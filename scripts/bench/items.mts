import { fileURLToPath } from 'node:url';
import type { INode, INodeType, INodeTypes } from 'n8n-workflow';
import { itemsOf, locator, time } from '../../test/integration/harness.mts';
import { beginningAt, createAdditionalData } from '../../test/integration/n8n/execution.mts';
import { core, workflow as n8n } from '../../test/integration/n8n/core.mts';
import { nodeOf, typeOf } from '../../test/integration/n8n/package.mts';
import { startService } from '../../test/service/index.mts';
import { startBodyServer } from './listing.mts';
import { count, inOwnProcess, median } from './measure.mts';
import type { Table } from './page.mts';

const UPDATES = 150;

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
		if (property.name === 'formId') {
			return { ...property, routing: { request: { url: '=/forms/{{ $value }}/settings' } } };
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

type Service = { url: string; token: string; form: string };

/** Runs Settings: Update over this many items, and returns what n8n records of the run. */
async function run(type: INodeType, { url, token, form }: Service, count: number) {
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
			formId: locator(form),
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
	const data = createAdditionalData({ accessToken: token, baseUrl: url }, 'trigger');
	const execution = new core.WorkflowExecute(data, 'trigger', beginningAt(node, input));
	return (await execution.processRunExecutionData(workflow)).data.resultData;
}

/** How many updates the service takes and refuses, and how long that takes in its own time. */
async function updatesWithinLimits(type: INodeType, token: string) {
	const service = await startService({ now: time.now, wait: time.holdBack, token });
	const [form] = service.store.forms();
	const before = time.now();
	await run(type, { url: service.url, token, form: form.id }, UPDATES);
	const took = time.now() - before;
	const refused = service.requests.filter(({ status }) => status === 429).length;
	await service.close();
	return { updated: service.requests.length - refused, refused, took };
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
		const { error, runData } = await run(type, { url, token: 'bench', form: 'a' }, COUNTED);
		const given = runData.Node.at(-1)?.data?.main[0]?.length;
		if (error || given !== COUNTED) throw error ?? new Error(`${given} items came out`);
		measured.push((process.memoryUsage().heapUsed - before) / COUNTED);
	}
	return median(measured);
}

/** What the items of a run cost, beside n8n's own routing. */
export async function items(): Promise<Table> {
	const plain = plainNode();
	const withOurs = await updatesWithinLimits(own, 'items-own');
	const withPlain = await updatesWithinLimits(plain, 'items-plain');
	const server = await startBodyServer();
	await server.serve(
		'{"success":true,"message":"Updated.","data":{"id":"a","name":"A","updated_at":"2026-01-01T00:00:00.000000Z"}}',
	);
	const file = fileURLToPath(import.meta.url);
	const bytes = {
		own: await inOwnProcess(file, ['own', server.url], NO_COLLECTION),
		plain: await inOwnProcess(file, ['plain', server.url], NO_COLLECTION),
	};
	server.close();
	return {
		title: `${UPDATES} updates`,
		text: `Settings: Update for ${UPDATES} items, with the service’s limit of 60 requests a minute and in simulated time: 120 s is the shortest possible time. The comparison is the same node without this package’s checks, rate limiter and retries, as n8n’s routing alone runs it. A workflow that sends one request a second, as with the batching of n8n’s HTTP Request, takes ${UPDATES} s.`,
		head: ['', 'This node', 'n8n’s routing alone', 'Goal'],
		rows: [
			['Updated', count(withOurs.updated), count(withPlain.updated), count(UPDATES)],
			['Refused by the service', count(withOurs.refused), count(withPlain.refused), '0'],
			['Time', seconds(withOurs.took), seconds(withPlain.took), 'at most 121 s'],
			[
				'Memory allocated per item',
				kilobytes(bytes.own),
				kilobytes(bytes.plain),
				'at most 1.25 times n8n’s',
			],
		],
	};
}

const seconds = (milliseconds: number) => `${Math.round(milliseconds / 1000)} s`;

const [, , kind, url] = process.argv;
if (process.send !== undefined && (kind === 'own' || kind === 'plain')) {
	process.send(await allocatedBy(kind === 'own' ? own : plainNode(), url));
}
