import { describe, expect, it } from 'vitest';
import { slow, tooMany, type Fault, type FaultName } from '../../service/index.mts';
import { inputFor, operationNamed, timesAdded, type OperationCase } from '../tables/operations.mts';
import { withWorld } from '../world.mts';

/** A fault that passes: the first request meets it, the next one does not. */
type Passing = {
	name: string;
	fault: FaultName | Fault;
	/** Whether adding a response is sent again; everything else always is. */
	addedAgain: boolean;
	/** The least that passes between the two requests, in milliseconds. */
	pauseMs: number;
};

const again = { addedAgain: true };
const once = { addedAgain: false };

const passing: Passing[] = [
	{ name: 'status 503', fault: 'unavailable', ...once, pauseMs: 450 },
	{ name: 'a reset before the service acted', fault: 'dropBefore', ...once, pauseMs: 450 },
	{ name: 'a body that is cut', fault: 'cutBody', ...once, pauseMs: 450 },
	{ name: 'JSON that ends too early', fault: 'malformedJson', ...once, pauseMs: 450 },
	{ name: 'an empty body', fault: 'emptyBody', ...once, pauseMs: 450 },
	{ name: 'a reply that comes too late', fault: slow(60_000), ...once, pauseMs: 30_450 },
	{ name: 'status 429 of the minute', fault: tooMany(60, 1), ...again, pauseMs: 1_900 },
	{ name: 'status 429 with Retry-After: 0', fault: tooMany(60, 0), ...again, pauseMs: 950 },
	{
		name: 'status 429 with Retry-After as a date',
		fault: tooMany(60, { dateIn: 2 }),
		...again,
		pauseMs: 1_900,
	},
	{ name: 'status 429 that does not say when', fault: 'tooManyBare', ...again, pauseMs: 58_900 },
];

/** Runs an operation over one item whose request meets the fault once. */
async function run(fault: Passing, operation: OperationCase) {
	return await withWorld(async ({ service, n8n }) => {
		const [, item] = inputFor(service);
		const { match } = operation;
		service.faults.set({ fault: fault.fault, match, times: 1 });
		const { items, error } = await n8n.runNode(operation.parameters, [item]);
		const met = service.requests.filter(
			({ method, path }) => method === match.method && match.path.test(path),
		);
		return { items, error, at: met.map(({ at }) => at), added: timesAdded(service) };
	});
}

describe.each(passing)('$name, once', (fault) => {
	it.each(['Response: Get Many', 'Setting: Update'])('%s is sent again', async (name) => {
		const { items, error, at } = await run(fault, operationNamed(name));
		expect(error).toBeUndefined();
		expect(items.length).toBeGreaterThan(0);
		expect(at).toHaveLength(2);
		expect(at[1] - at[0]).toBeGreaterThanOrEqual(fault.pauseMs);
	});

	it('a response is added again only if the service certainly did not take it', async () => {
		const { error, at, added } = await run(fault, operationNamed('Response: Create'));
		if (fault.addedAgain) {
			expect(error).toBeUndefined();
			expect(at).toHaveLength(2);
			expect(at[1] - at[0]).toBeGreaterThanOrEqual(fault.pauseMs);
			expect(added).toBe(1);
		} else {
			expect(error?.message).toMatch(/The response may or may not have been added$/);
			expect(at).toHaveLength(1);
			expect(added).toBeLessThanOrEqual(1);
		}
	});
});
