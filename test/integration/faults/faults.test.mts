import type { IDataObject, INodeExecutionData, IPairedItemData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { faultCases, patience, type FaultCase } from './faultCases.mts';
import { inputFor, operationCases, timesAdded, type OperationCase } from './operations.mts';
import { tracesOf } from '../secrets/traces.mts';
import { withWorld, type World } from '../world.mts';
import { startAll } from './startAll.mts';

/**
 * Every operation under every fault that lasts, over real HTTP: in a node that stops, and in one that
 * continues. The fault meets the second of two items, except where the items share their request.
 */
type Case = { fault: FaultCase; operation: OperationCase; continueOnFail: boolean };

/** As many as two processors and a few buffers of 140 MB take without being late. */
const AT_ONCE = 60;

/** An operation that reads and one that adds, for what is too much work to be tried with each. */
const few = (['read', 'once'] as const).map(
	(effect) => operationCases.find((operation) => operation.effect === effect)!,
);

const cases = faultCases.flatMap((fault) =>
	(fault.heavy ? few : operationCases).flatMap((operation) =>
		(fault.heavy ? [false] : [false, true]).map(
			(continueOnFail): Case => ({ fault, operation, continueOnFail }),
		),
	),
);
// those that wait longest start first
const startOrder = cases.toSorted((a, b) => waits(b) - waits(a));

function waits({ fault, operation }: Case): number {
	return fault.sent[operation.effect];
}

const resultOf = startAll(
	startOrder,
	async (one) => await withWorld(async (world) => await meet(one, world)),
	AT_ONCE,
);

async function meet({ fault, operation, continueOnFail }: Case, { service, n8n }: World) {
	const input = inputFor(service);
	service.faults.set({ fault: fault.fault, match: { path: operation.path } });
	const parameters = { ...operation.parameters, ...patience(fault) };
	const { items, error, run } = await n8n.runNode(parameters, input, { continueOnFail });
	const met = service.requests.filter(({ path }) => operation.path.test(path));
	return {
		items,
		error,
		sent: met.length,
		added: timesAdded(service),
		token: tracesOf({ accessToken: service.token }, run, error),
	};
}

type Shown = Error & IDataObject;

function expectCause(shown: Shown, { fault }: Case, itemIndex: number) {
	expect(shown).toMatchObject({
		httpCode: fault.httpCode,
		failure: { cause: fault.cause },
		context: { itemIndex },
	});
}

/** The input item that an output item says it comes from. */
function itemIndexOf({ pairedItem }: INodeExecutionData): number {
	return (pairedItem as IPairedItemData).item;
}

/** The limit of the day ends at a time of its own in each case. */
const sameTime = (text: unknown) =>
	String(text).replace(/127\.0\.0\.1:\d+|\w+ \d+, \d+, [\d:]+ UTC/g, '…');

describe.each(faultCases)('$name', (fault) => {
	it('leaves the token in no error, and in nothing that n8n stores', async () => {
		for (const one of cases.filter((each) => each.fault === fault)) {
			expect((await resultOf(one)).token, one.operation.name).toEqual([]);
		}
	});

	const stopping = cases.filter((one) => one.fault === fault && !one.continueOnFail);
	const continuing = cases.filter((one) => one.fault === fault && one.continueOnFail);

	it.each(stopping.map((one) => [one.operation.name, one] as const))(
		'%s stops, and says why',
		async (_name, one) => {
			const { error, items, sent, added } = await resultOf(one);
			expect(items).toEqual([]);
			expectCause(error!, one, one.operation.ownRequest ? 1 : 0);
			expect(sent).toBe(fault.sent[one.operation.effect]);
			expect(added).toBe(one.operation.effect === 'once' ? fault.added : 0);
		},
	);

	it.each(continuing.map((one) => [one.operation.name, one] as const))(
		'%s continues with one error item for each item that it met',
		async (_name, one) => {
			const { error, items, sent, added } = await resultOf(one);
			expect(error).toBeUndefined();
			expect([...new Set(items.map(itemIndexOf))]).toEqual([0, 1]);
			const failed = items.filter(({ json }) => json.error !== undefined);
			expect(failed.map(itemIndexOf)).toEqual(one.operation.ownRequest ? [1] : [0, 1]);
			const stopped = await resultOf(
				stopping.find(({ operation }) => operation === one.operation)!,
			);
			for (const { json } of failed)
				expect(sameTime(json.error)).toBe(sameTime(stopped.error?.message));
			expect(sent).toBe(fault.sent[one.operation.effect]);
			expect(added).toBe(one.operation.effect === 'once' ? fault.added : 0);
		},
	);
});
