import type { IDataObject, INodeExecutionData, IPairedItemData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { tracesOf } from '../secrets/traces.mts';
import {
	inputFor,
	operationCases,
	operationNamed,
	timesAdded,
	type OperationCase,
} from '../tables/operations.mts';
import { AT_ONCE, withWorld } from '../world.mts';
import { faultCases, patience, type FaultCase } from './faultCases.mts';

/** One operation of each effect: it reads, it can be repeated, it adds a response. */
const effects = ['Response: Get Many', 'Setting: Update', 'Response: Create'].map(operationNamed);

/** Runs an operation over two items, of which the second meets the fault, unless they share a request. */
async function meet(fault: FaultCase, operation: OperationCase, continueOnFail: boolean) {
	return await withWorld(async ({ service, n8n }) => {
		const input = inputFor(service);
		const { match } = operation;
		service.faults.set({ fault: fault.fault, match });
		const parameters = { ...operation.parameters, ...patience(fault) };
		const { items, error, run } = await n8n.runNode(parameters, input, { continueOnFail });
		const met = service.requests.filter(
			({ method, path }) => method === match.method && match.path.test(path),
		);
		expect(tracesOf({ accessToken: service.token }, run, error)).toEqual([]);
		return { items, error, sent: met.length, added: timesAdded(service) };
	}, AT_ONCE);
}

async function expectToStop(fault: FaultCase, operation: OperationCase) {
	const { error, items, sent, added } = await meet(fault, operation, false);
	expect(items).toEqual([]);
	expect(error).toMatchObject({
		httpCode: fault.httpCode,
		failure: { cause: fault.cause },
		context: { itemIndex: operation.ownRequest ? 1 : 0 },
	});
	expect(sent).toBe(fault.sent[operation.effect]);
	expect(added).toBe(operation.effect === 'once' ? fault.added : 0);
	return error as Error & IDataObject;
}

async function expectToContinue(fault: FaultCase, operation: OperationCase, message: string) {
	const { error, items, sent, added } = await meet(fault, operation, true);
	expect(error).toBeUndefined();
	expect([...new Set(items.map(itemIndexOf))]).toEqual([0, 1]);
	const failed = items.filter(({ json }) => json.error !== undefined);
	expect(failed.map(itemIndexOf)).toEqual(operation.ownRequest ? [1] : [0, 1]);
	for (const { json } of failed) expect(sameTime(json.error)).toBe(sameTime(message));
	expect(sent).toBe(fault.sent[operation.effect]);
	expect(added).toBe(operation.effect === 'once' ? fault.added : 0);
}

/** The input item that an output item says it comes from. */
function itemIndexOf({ pairedItem }: INodeExecutionData): number {
	return (pairedItem as IPairedItemData).item;
}

/** The limit of the day ends at a time of its own in each run. */
const sameTime = (text: unknown) =>
	String(text).replace(/127\.0\.0\.1:\d+|\w+ \d+, \d+, [\d:]+ UTC/g, '…');

describe.each(faultCases)('$name', (fault) => {
	const tried = fault.heavy ? [operationNamed('Response: Create')] : effects;

	it.each(tried.map((operation) => [operation.name, operation] as const))(
		'%s stops and says why, or continues with one error item for each item that it met',
		async (_name, operation) => {
			const { message } = await expectToStop(fault, operation);
			if (!fault.heavy) await expectToContinue(fault, operation, message);
		},
	);
});

describe('every operation', () => {
	const faults = faultCases.filter(({ fault }) => fault === 'forbidden' || fault === 'dropAfter');

	it.each(operationCases.map((operation) => [operation.name, operation] as const))(
		'%s stops at a refusal and at a reply that is lost, or continues',
		async (_name, operation) => {
			expect(faults).toHaveLength(2);
			for (const fault of faults) {
				const { message } = await expectToStop(fault, operation);
				await expectToContinue(fault, operation, message);
			}
		},
	);
});
