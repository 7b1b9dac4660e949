import { describe, expect, it } from 'vitest';
import { slow, tooMany, type Fault, type FaultName } from '../../service/index.mts';
import { inputFor, operationCases, timesAdded, type OperationCase } from './operations.mts';
import { withWorld, type World } from '../world.mts';
import { startAll } from './startAll.mts';

/** A fault that passes: the first request meets it, the next one does not. */
type Passing = {
	name: string;
	fault: FaultName | Fault;
	/** Whether adding a response is sent again; everything else always is. */
	addedAgain: boolean;
	/** The least that passes between the two requests, in milliseconds. */
	pauseMs: number;
};

const passing: Passing[] = [
	{ name: 'status 500', fault: 'serverError', addedAgain: false, pauseMs: 450 },
	{ name: 'status 502', fault: 'badGateway', addedAgain: false, pauseMs: 450 },
	{ name: 'status 503', fault: 'unavailable', addedAgain: false, pauseMs: 450 },
	{
		name: 'a reset before the service acted',
		fault: 'dropBefore',
		addedAgain: false,
		pauseMs: 500,
	},
	{ name: 'a reset after the service acted', fault: 'dropAfter', addedAgain: false, pauseMs: 450 },
	{ name: 'a body that is cut', fault: 'cutBody', addedAgain: false, pauseMs: 450 },
	{
		name: 'a reply that comes too late',
		fault: slow(60_000),
		addedAgain: false,
		pauseMs: 30_450,
	},
	{ name: 'status 429 of the minute', fault: tooMany(60, 1), addedAgain: true, pauseMs: 1_900 },
	{ name: 'status 429 with Retry-After: 0', fault: tooMany(60, 0), addedAgain: true, pauseMs: 950 },
	{
		name: 'status 429 with Retry-After as a date',
		fault: tooMany(60, { dateIn: 2 }, { reset: false }),
		addedAgain: true,
		pauseMs: 1_900,
	},
	{
		name: 'status 429 that does not say when',
		fault: 'tooManyBare',
		addedAgain: true,
		pauseMs: 58_900,
	},
];

type Case = { fault: Passing; operation: OperationCase };

const cases = passing.flatMap((fault) =>
	operationCases.map((operation): Case => ({ fault, operation })),
);

const startOrder = cases.toSorted((a, b) => b.fault.pauseMs - a.fault.pauseMs);

const resultOf = startAll(
	startOrder,
	async (one) => await withWorld(async (world) => await run(one, world)),
	60,
);

async function run({ fault, operation }: Case, { service, n8n }: World) {
	const input = inputFor(service);
	service.faults.set({ fault: fault.fault, match: { path: operation.path }, times: 1 });
	const { items, error } = await n8n.runNode(
		operation.parameters,
		// only the item whose request meets the fault
		input.slice(1),
	);
	const met = service.requests.filter(({ path }) => operation.path.test(path));
	return { items, error, at: met.map(({ at }) => at), added: timesAdded(service) };
}

describe.each(passing)('$name, once', (fault) => {
	const own = cases.filter((one) => one.fault === fault);

	it.each(own.map((one) => [one.operation.name, one] as const))('%s', async (_name, one) => {
		const { items, error, at, added } = await resultOf(one);
		const isSentAgain = one.operation.effect !== 'once' || fault.addedAgain;
		expect(at).toHaveLength(isSentAgain ? 2 : 1);
		if (isSentAgain) {
			expect(error).toBeUndefined();
			expect(items.length).toBeGreaterThan(0);
			expect(at[1] - at[0]).toBeGreaterThanOrEqual(fault.pauseMs);
		} else {
			expect(error?.message).toMatch(/The response may or may not have been added$/);
		}
		expect(added).toBeLessThanOrEqual(1);
		if (one.operation.effect === 'once' && isSentAgain) expect(added).toBe(1);
	});
});
