import { describe, expect, it } from 'vitest';
import { slow, tooMany, type Fault, type FaultName, type Service } from '../../service/index.mts';
import { placesOf } from '../harness.mts';
import { tracesOf } from './traces.mts';
import {
	inputFor,
	operationCases,
	operationNamed,
	timesAdded,
	type OperationCase,
} from '../resources/operations.mts';
import { AT_ONCE, createWorld } from '../world.mts';
import { faultCases, patience, type FaultCase } from './faultCases.mts';

/** One operation of each effect: it reads, it can be repeated, it adds a response. */
const effects = ['Response: Get Many', 'Setting: Update', 'Response: Create'];

const requestsTo = ({ requests }: Service, { match }: OperationCase) =>
	requests.filter(({ method, path }) => method === match.method && match.path.test(path));

/** Runs an operation over two items, of which the second meets the fault, unless they share a request. */
async function meet(fault: FaultCase, operation: OperationCase, continueOnFail: boolean) {
	const { service, n8n } = await createWorld(AT_ONCE);
	const input = inputFor(service);
	const { match, effect } = operation;
	service.faults.set({ fault: fault.fault, match });
	const parameters = { ...operation.parameters, ...patience(fault) };
	const { items, error, run } = await n8n.runNode(parameters, input, { continueOnFail });
	expect(requestsTo(service, operation)).toHaveLength(fault.sent[effect]);
	expect(timesAdded(service)).toBe(effect === 'once' ? fault.added : 0);
	expect(tracesOf({ accessToken: service.token }, run, error)).toEqual([]);
	return { items, error };
}

/** The node stops and says why; a node that continues has an error item for each item that met the fault. */
async function expectToFail(fault: FaultCase, operation: OperationCase) {
	const { httpCode, cause, heavy } = fault;
	const stopped = await meet(fault, operation, false);
	expect(stopped.items).toEqual([]);
	const context = { itemIndex: operation.ownRequest ? 1 : 0 };
	const said = { name: 'NodeApiError', httpCode, failure: { cause }, context };
	expect(stopped.error).toMatchObject(said);
	if (heavy) return;

	const { error, items } = await meet(fault, operation, true);
	expect(error).toBeUndefined();
	expect([...new Set(placesOf(items))]).toEqual([0, 1]);
	const failed = items.filter(({ json }) => json.error !== undefined);
	expect(placesOf(failed)).toEqual(operation.ownRequest ? [1] : [0, 1]);
	for (const { json } of failed) {
		expect(withoutTimes(json.error)).toBe(withoutTimes(stopped.error?.message));
	}
}

/** The limit of the day ends at a time of its own in each run, and each service has its own port. */
const withoutTimes = (text: unknown) =>
	String(text).replace(/127\.0\.0\.1:\d+|\w+ \d+, \d+, [\d:]+ UTC/g, '…');

describe.each(faultCases)('$name', (fault) => {
	it.each(fault.heavy ? effects.slice(2) : effects)(
		'%s stops, or continues with an error item for each item that it met',
		async (name) => await expectToFail(fault, operationNamed(name)),
	);
});

const faults = faultCases.filter(({ fault }) => fault === 'forbidden' || fault === 'dropAfter');

it.each(operationCases)('$name stops or continues at a refusal and a lost reply', async (one) => {
	expect(faults).toHaveLength(2);
	for (const fault of faults) await expectToFail(fault, one);
});

/** Faults that pass: the first request meets them, the next one does not. */
describe.each<[string, FaultName | Fault, { addedAgain: boolean; pauseMs: number }]>([
	['status 503', 'unavailable', { addedAgain: false, pauseMs: 450 }],
	['a reset before the service acted', 'dropBefore', { addedAgain: false, pauseMs: 450 }],
	['a body that is cut', 'cutBody', { addedAgain: false, pauseMs: 450 }],
	['an empty body', 'emptyBody', { addedAgain: false, pauseMs: 450 }],
	['a reply that comes too late', slow(60_000), { addedAgain: false, pauseMs: 30_450 }],
	['status 429 of the minute', tooMany(60, 1), { addedAgain: true, pauseMs: 1_900 }],
	['status 429 without a time', 'tooManyBare', { addedAgain: true, pauseMs: 58_900 }],
])('%s, once', (_name, fault, { addedAgain, pauseMs }) => {
	it.each(effects)('%s is sent again, unless a response may have been added', async (name) => {
		const { service, n8n } = await createWorld();
		const operation = operationNamed(name);
		const { parameters, match, effect } = operation;
		const [, item] = inputFor(service);
		service.faults.set({ fault, match, times: 1 });
		const { items, error } = await n8n.runNode(parameters, [item]);
		const met = requestsTo(service, operation);
		if (effect === 'once' && !addedAgain) {
			expect(error?.message).toMatch(/The response may or may not have been added$/);
			expect(met).toHaveLength(1);
			return;
		}
		expect(error).toBeUndefined();
		expect(items.length).toBeGreaterThan(0);
		expect(met).toHaveLength(2);
		expect(met[1].at - met[0].at).toBeGreaterThanOrEqual(pauseMs);
		expect(timesAdded(service)).toBe(effect === 'once' ? 1 : 0);
	});
});
