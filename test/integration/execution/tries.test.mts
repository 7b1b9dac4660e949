import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { mapValues, sortBy, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { expect, it, onTestFinished, vi } from 'vitest';
import { faultTable, slow, status, success, type Fault } from '../../service/index.mts';
import { itemsOf, placesOf, time } from '../harness.mts';
import { core } from '../n8n/core.mts';
import { breakableForm, operationNamed } from '../resources/operations.mts';
import { createWorld } from '../world.mts';

/** What the items of a run have done, over its batches and over n8n's tries. */

/** What the requests to a form meet that add a response. */
const faults = {
	fine: slow(0),
	slow: slow(400),
	late: slow(60_000),
	lost: faultTable.dropAfter,
	refused: {
		stage: 'instead',
		act({ reply, wait }) {
			void wait(900).then(() => reply.code(422).send({ success: false, message: 'No.' }));
		},
	},
	unauthorized: status(401, 'No.'),
} satisfies Record<string, Fault>;
type Kind = keyof typeof faults;
const isTaken = (kind: Kind) => kind === 'fine' || kind === 'slow';
const mayBeTaken = (kind: Kind) => /late$|^lost$/i.test(kind);

/** An item for the form of its kind; its answers are its order and its place among the rows. */
type Row = { kind: Kind; order?: string; broken?: string; row_number?: number };
const rowsOf = (...kinds: Kind[]): Row[] => kinds.map((kind) => ({ kind }));
const times = (count: number, kind: Kind) => rowsOf(...Array<Kind>(count).fill(kind));

const { parameters } = operationNamed('Response: Create');

const anyRow = fc.record({
	kind: fc.constantFrom('fine', ...(Object.keys(faults) as Kind[])),
	order: fc.constantFrom('A', 'B'),
	broken: fc.constantFrom(...Array<string>(12).fill(''), 'value', 'expression', 'proxy'),
});
const anyOptions = fc.record({
	batchSize: fc.nat(3),
	batchInterval: fc.integer({ min: 1, max: 6 }),
	maxTries: fc.integer({ min: 1, max: 3 }),
	// how many requests to a form meet its fault
	met: fc.constantFrom(1, 99),
	// how long the service takes to list the fields of a form
	checkMs: fc.constantFrom(0, 400),
	// whether all items become invalid when the first one is sent
	spoils: fc.boolean(),
	skips: fc.boolean(),
	continueOnFail: fc.boolean(),
});
type Drawn<T> = T extends fc.Arbitrary<infer U> ? U : never;

/** Adds a response for each row, and also returns the places of those that were sent, with what they met. */
async function addRows(rows: Row[], options: Partial<Drawn<typeof anyOptions>> = {}) {
	const { batchSize, batchInterval = 1, maxTries = 1, met = 99, checkMs = 0 } = options;
	const { skips, spoils, continueOnFail } = options;
	const { service, n8n } = await createWorld({ perMinute: 10_000, perDay: 100_000 });
	const { store, requests } = service;
	service.faults.set({ fault: success([]), match: { path: /^\/responses/ } });
	service.faults.set({ fault: slow(checkMs), match: { path: /fields$/ } });
	const kinds: Kind[] = [];
	const input: IDataObject[] = [];
	const formIds = mapValues(faults, (_, name) => {
		const { id } = store.addForm({ name, fields: [{ label: 'Order' }, { label: 'Place' }] });
		let left = met;
		const fault = () => {
			if (spoils) for (const row of input) row.broken = 'value';
			return faults[kinds[kinds.push(left-- > 0 ? (name as Kind) : 'fine') - 1]];
		};
		service.faults.set({ fault, match: { method: 'POST', path: new RegExp(id) } });
		return id;
	});
	for (const [Place, { kind, order: Order = '', ...row }] of rows.entries())
		input.push({ ...row, formId: formIds[kind], answers: { Order, Place } });
	const given = {
		...parameters,
		formId: breakableForm,
		options: skips ? { skipDuplicatesBy: ['Order'] } : {},
		requestOptions: {
			...(batchSize && { batching: { batch: { batchSize, batchInterval } } }),
			proxy: "={{ $json.broken === 'proxy' ? 'none' : '' }}",
		},
	};
	const node = { retryOnFail: maxTries > 1, maxTries, waitBetweenTries: 1 };
	const run = await n8n.runNode(given, itemsOf(...input), { node, continueOnFail });
	// n8n can leave its last try behind
	await time.sleep(300_000);
	const posts = requests.filter(({ method }) => method === 'POST');
	const sent = posts.map(({ body }, index) => {
		const place = Number(Object.values((body as { data: IDataObject }).data).at(-1));
		return { kind: kinds[index], place };
	});
	return { ...run, sent };
}

it('A node that stops says how many of the items were sent, and which ones', async () => {
	const kinds = rowsOf('slow', 'fine', 'refused', 'fine', 'lost');
	const { error } = await addRows(kinds.map((row, at) => ({ ...row, row_number: at + 20 })));
	expect(error?.description).toMatch(
		/ of its items\.<br>\nAffected: row 22\.<br>\nAlready sent \(2 of 5\): rows 20, 21\. Run only the other items again\.$/,
	);
});

it('A list that could not be read is read again by the next try of n8n', async () => {
	const { service, n8n } = await createWorld();
	service.faults.set({ fault: 'unavailable', times: 4 });
	const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	const { items } = await n8n.runNode({ resource: 'form', operation: 'getAll' }, undefined, {
		node,
	});
	expect(items).not.toEqual([]);
	expect(service.requests).toHaveLength(5);
});

it('The next try of n8n sends only what was refused', async () => {
	const rows = rowsOf('fine', 'refused', 'slow', 'fine').map((row) => ({ ...row, order: 'A' }));
	const { items, sent } = await addRows(rows, { maxTries: 2, met: 1, skips: true });
	const statuses = items.map(({ json }) => json.status);
	expect(statuses).toEqual(['created', 'created', 'created', 'skipped']);
	expect(sent.map(({ place }) => place)).toEqual([0, 1, 1, 2]);
});

type Routing = { makeRequest: (this: Routing, ...args: unknown[]) => Promise<unknown> };
const routing = core.RoutingNode.prototype as unknown as Routing;
const { makeRequest } = routing;

const afterTurns = (turns: number[]): Routing['makeRequest'] =>
	async function (...args) {
		for (let turn = 0; turn < turns[args[2] as number]; turn++) await setImmediate();
		return await makeRequest.apply(this, args);
	};

it.each<[string, Routing['makeRequest']]>([
	['after the first was begun', afterTurns([0, 1, 1])],
	['backward', afterTurns([2, 1, 0])],
])('A node sends nothing and says why if n8n hands over items %s', async (_, handOver) => {
	const spy = vi.spyOn(routing, 'makeRequest').mockImplementation(handOver);
	onTestFinished(() => spy.mockRestore());
	const { error, sent } = await addRows(times(3, 'fine'));
	expect(error?.message).toMatch(/^This version of n8n .* in an order that .* not support/);
	expect(error?.description).toMatch(/^Nothing was sent\./);
	expect(sent).toEqual([]);
});

async function expectToSendOnce(rows: Row[], options: Drawn<typeof anyOptions>) {
	const { error, items, sent } = await addRows(rows, options);
	if (options.maxTries === 1) expect(sent).toEqual(sortBy(sent, 'place'));
	const acted = sent.filter(({ kind }) => isTaken(kind) || mayBeTaken(kind));
	const identify = ({ place }: { place: number }) =>
		options.skips ? `${rows[place].kind} ${rows[place].order}` : place;
	expect(uniqBy(acted, identify)).toEqual(acted);
	const end = rows.findIndex(({ broken }) => broken === 'expression' || broken === 'proxy');
	if (error === undefined) {
		const taken = sent.flatMap(({ kind, place }) => (isTaken(kind) ? place : []));
		const created = items.filter(({ json }) => json.status === 'created');
		expect(placesOf(created)).toEqual(taken.toSorted());
		expect(options.continueOnFail || items.length === rows.length).toBe(true);
	} else if (end >= 0) {
		const { batchSize } = options;
		const whole = batchSize > 0 ? end - (end % batchSize) : 0;
		expect(sent.filter(({ place }) => place >= whole)).toEqual([]);
	}
}

it('A run never sends an item again that the service may have taken', async () => {
	const rows = fc.array(anyRow, { minLength: 1, maxLength: 7 });
	await fc.assert(fc.asyncProperty(rows, anyOptions, expectToSendOnce), { numRuns: 50 });
});
