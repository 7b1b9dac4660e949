import { describe, expect, it } from 'vitest';
import type { Service } from '../../service/index.mts';
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
