import type { IDataObject, INodeExecutionData, IPairedItemData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { faultCases, type FaultCase } from './faultCases.mts';
import { inputFor, operationCases, timesAdded, type OperationCase } from './operations.mts';
import { tracesOf } from '../secrets/traces.mts';
import { withWorld, type World } from '../world.mts';
import { startAll } from './startAll.mts';

/**
 * Every operation under every fault that lasts, over real HTTP: in a node that stops, and in one that
 * continues. The fault meets the second of two items, except where the items share their request.
 */
type Case = { fault: FaultCase; operation: OperationCase; continueOnFail: boolean };

/** As many as two processors and a few buffers of 70 MB take without being late. */
const AT_ONCE = 60;

const cases = faultCases.flatMap((fault) =>
	operationCases.flatMap((operation) =>
		[false, true].map((continueOnFail): Case => ({ fault, operation, continueOnFail })),
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
	const parameters = {
		...operation.parameters,
		...(fault.timeout !== undefined && { requestOptions: { timeout: fault.timeout } }),
	};
	const { items, error, run } = await n8n.runNode(parameters, input, { continueOnFail });
	const met = service.requests.filter(({ path }) => operation.path.test(path));
	return {
		items,
		error,
		sent: met.length,
		added: timesAdded(service),
		origin: service.url,
		token: tracesOf({ accessToken: service.token }, run, error),
	};
}

type Shown = { message: string; description?: string | null } & IDataObject;

function expectShown(shown: Shown, { fault, operation }: Case, origin: string, itemIndex: number) {
	const { noun, effect } = operation;
	const place = { origin, baseUrl: `${origin}/api/v1`, noun, effect };
	const unsure = operation.effect === 'once' ? fault.unsure : undefined;
	const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/;
	expect({
		message: shown.message.replace(time, '<time>'),
		description: shown.description,
		httpCode: shown.httpCode,
		cause: (shown.failure as IDataObject | undefined)?.cause,
		itemIndex: (shown.context as IDataObject).itemIndex,
	}).toEqual({
		...(unsure ?? fault.words)(place),
		httpCode: fault.httpCode,
		cause: fault.cause,
		itemIndex,
	});
}

/** The input item that an output item says it comes from. */
function itemIndexOf({ pairedItem }: INodeExecutionData): number {
	return (pairedItem as IPairedItemData).item;
}

describe.each(faultCases)('$name', (fault) => {
	it('leaves the token in no error, and in nothing that n8n stores', async () => {
		for (const one of cases.filter((each) => each.fault === fault)) {
			expect((await resultOf(one)).token, one.operation.name).toEqual([]);
		}
	});

	const stopping = cases.filter((one) => one.fault === fault && !one.continueOnFail);
	const continuing = cases.filter((one) => one.fault === fault && one.continueOnFail);

	it.each(stopping.map((one) => [one.operation.name, one] as const))(
		'%s stops, and says what happened and what to do',
		async (_name, one) => {
			const { error, items, origin, sent, added } = await resultOf(one);
			expect(items).toEqual([]);
			expectShown(error as unknown as Shown, one, origin, one.operation.ownRequest ? 1 : 0);
			expect(sent).toBe(fault.sent[one.operation.effect]);
			expect(added).toBe(one.operation.effect === 'once' ? fault.added : 0);
		},
	);

	it.each(continuing.map((one) => [one.operation.name, one] as const))(
		'%s continues with one error item for each item that it met',
		async (_name, one) => {
			const { error, items, origin, sent, added } = await resultOf(one);
			expect(error).toBeUndefined();
			expect([...new Set(items.map(itemIndexOf))]).toEqual([0, 1]);
			const failed = items.filter((item) => item.error !== undefined);
			expect(failed.map(itemIndexOf)).toEqual(one.operation.ownRequest ? [1] : [0, 1]);
			for (const item of failed) {
				expectShown(item.error as unknown as Shown, one, origin, itemIndexOf(item));
				expect(item.json).toEqual({ error: item.error?.message });
			}
			expect(sent).toBe(fault.sent[one.operation.effect]);
			expect(added).toBe(one.operation.effect === 'once' ? fault.added : 0);
		},
	);
});
