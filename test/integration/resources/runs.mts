import { uniq } from 'lodash';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	IPairedItemData,
} from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { Service } from '../../service/index.mts';
import type { Answers } from '../../service/store.mts';
import { locator, time, type N8n } from '../harness.mts';
import { createWorld, type World } from '../world.mts';
import { operationNamed } from './operations.mts';

/** What a run is given: the parameters of the operation, and its items. */
export type Given = [parameters: object, ...items: IDataObject[]];

/** What else there is: what the service has or replies, and the settings of the node. */
type More = { prepare?: (service: Service) => void; node?: Partial<INode> };

/** Runs of an operation by what they show. The snapshot has their requests, and their items or their error. */
export type Runs = Record<string, Given | (More & { given: Given })>;

type FaultRule = Parameters<Service['faults']['set']>[0];

/** A run at a service that meets some requests with a fault, such as a reply. By default, it meets all requests. */
export const meeting = (rule: FaultRule, ...given: Given) => ({
	given,
	prepare: ({ faults }: Service) => faults.set(rule),
});

export const LISTS_RESPONSES = { path: /^\/responses\// };

export const FORM_ID = 'orders';

/** The fields have their labels as UUIDs, but for those whose answers a service refuses. */
const fields = [
	{ label: 'Name', mandatory: true },
	{ label: 'Email', mandatory: true },
	{ label: 'Size', type: 'dropdown', options: ['M', 'L'] },
	{ label: 'Topics', type: 'checkboxes', options: ['A', 'B'] },
	{ label: 'CV', type: 'file_upload' },
	{ label: 'Order', type: 'number' },
	{ label: 'Day', type: 'date' },
	{ label: 'Time', type: 'datetime', uuid: 't1' },
	{ label: 'News', type: 'boolean', uuid: 'n1' },
	{ label: 'Same' },
	{ label: 'Same', uuid: 'Same 2', customKey: 'other' },
].map((field) => ({ uuid: field.label, ...field }));

/** Three responses, a day apart; the last one is incomplete. */
const responses: Answers[] = [
	{ Name: 'Ada', Email: 'ada@example.com', Size: 'M', Order: 5, Day: '2026-02-01', n1: '1' },
	{
		Name: 'Bob',
		Size: 'L',
		Topics: ['A', 'B'],
		Order: 12,
		CV: ['cv.txt|/files/cv/cv.txt', 'lost'],
	},
	{ Name: 'Cleo', Order: 'three' },
];

function addForm({ store }: Service): void {
	store.addForm({ id: FORM_ID, name: 'Orders', fields, trackIncomplete: true });
	for (const [index, answers] of responses.entries()) {
		const createdAt = `2026-10-0${index + 1}T08:00:00.000000Z`;
		const uuid = `r${index + 1}`;
		store.addResponse(FORM_ID, { uuid, answers, createdAt, incomplete: index === 2 });
	}
}

/** The parameter Form whose value comes from the item. Its expression fails for an item without a form. */
export const formOfItem = (mode = 'id') =>
	({
		...locator("={{ $json.form === undefined ? $('None').first().json.id : $json.form }}"),
		mode,
	}) as INodeParameters;

/** How a node is run: as a step of a workflow, or as the tool of an agent. */
export type Start = (
	world: World,
	...given: Parameters<N8n['runNode']>
) => Promise<{ outputs: INodeExecutionData[][]; error?: Error & IDataObject }>;

const startStep: Start = async ({ n8n }, ...given) => await n8n.runNode(...given);

/** Each item has a file, which only an item that failed still has in the output. */
const binary = { letter: { data: '', mimeType: 'text/plain', fileName: 'letter.txt' } };

/** If a node is started in several ways, the snapshot has what differs. */
export function testRuns(name: string, runs: Runs, starts = [startStep]): void {
	describe(name, () => {
		it.each(Object.entries(runs))('%s', async (_shows, run) => {
			const texts: string[] = [];
			for (const start of starts) {
				texts.push(await describeRun(name, 'given' in run ? run : { given: run }, start));
			}
			expect(uniq(texts).join('\n\n')).toMatchSnapshot();
		});
	});
}

async function describeRun(
	name: string,
	{ given: [parameters, ...rows], prepare, node }: More & { given: Given },
	start: Start,
): Promise<string> {
	const world = await createWorld();
	const { service } = world;
	addForm(service);
	prepare?.(service);
	const { resource, operation } = operationNamed(name);
	const ids = { resource, operation, formId: locator(FORM_ID) };
	const items = (rows.length > 0 ? rows : [{}]).map((json) => ({ json, binary }));
	const { outputs, error } = await start(world, { ...ids, ...parameters }, items, node);
	// a write that should not be sent would come after the run
	await time.settled();
	const outcome = [...describeOutputs(outputs), ...describeError(error)];
	const text = [...describeRequests(service), ...outcome].join('\n');
	return withFixedTexts(text, service.url);
}

/** Reads can be sent side by side, so they come first and are sorted. */
function describeRequests({ requests, visits }: Service): string[] {
	const lines = requests.map(({ method, path, query, body }) => {
		const search = new URLSearchParams(query as Record<string, string>).toString();
		const address = search === '' ? path : `${path}?${search}`;
		return `${method} ${address} ${JSON.stringify(body) ?? ''}`.trim();
	});
	const isRead = (line: string) => line.startsWith('GET');
	const files = visits.map(({ path }) => `File: ${path}`).toSorted();
	const writes = lines.filter((line) => !isRead(line));
	return [...lines.filter(isRead).toSorted(), ...writes, ...files];
}

/** The items of the output, and those of the error output. */
function describeOutputs(outputs: readonly INodeExecutionData[][]): string[] {
	return outputs.flatMap((items, output) =>
		items.map(({ json, error, binary = {}, pairedItem }) => {
			const files = Object.entries(binary).map(
				([name, { fileName, mimeType }]) => ` + ${name}: ${fileName} (${mimeType})`,
			);
			const { item } = (pairedItem ?? {}) as Partial<IPairedItemData>;
			const place = output === 0 ? item : `Error output, item ${item}`;
			return `${place}: ${error?.message ?? JSON.stringify(json)}${files.join('')}`;
		}),
	);
}

function describeError(error?: Error & IDataObject): string[] {
	if (error === undefined) return [];
	const { itemIndex } = error.context as { itemIndex?: number };
	const texts = [error.message, error.description].join('\n').trim();
	return [`Error of item ${itemIndex}: ${texts.replaceAll('<br>', '')}`];
}

/** Random IDs get numbers, the times of a run one text, and a long row of one character its length. */
function withFixedTexts(text: string, url: string): string {
	const ids: string[] = [];
	return text
		.replaceAll(url, 'https://forms.example.com')
		.replace(/(\w)\1{99,}/g, (run, character) => `<${run.length} of ${character}>`)
		.replace(/(?!2026)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g, '<time>')
		.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => {
			if (!ids.includes(id)) ids.push(id);
			return `<id ${ids.indexOf(id) + 1}>`;
		});
}
