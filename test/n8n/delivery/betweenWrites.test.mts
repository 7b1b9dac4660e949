import type { IDataObject, IRunExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { Fingerprints, KnownResponses } from '../../../nodes/FormService/trigger/knownResponses.ts';
import { toSaved } from '../../../nodes/FormService/trigger/stateCodec.ts';
import { explain, type Finding } from './betweenWrites.mts';
import { deliveriesIn, type Stored } from './database.mts';
import { settle } from './ledger.mts';

const TRIGGER = 'Trigger';

const parse = (text: string) => JSON.parse(text) as IRunExecutionData;

/** n8n's database with what the state knows as delivered, and the responses of each execution. */
function stored(known: string[], ...executions: string[][]): Stored {
	const numbers = new Fingerprints(known.length);
	const responses = new KnownResponses(known.length);
	known.forEach((uuid, at) => numbers.copy(numbers.numberOf(uuid), responses.fingerprints, 2 * at));
	const forms = new Map([['form', { known: responses }]]);
	return {
		staticData: {
			[`node:${TRIGGER}`]: { state: toSaved({ service: 's', savedAt: 1, forms }) } as IDataObject,
		},
		executions: executions.map((uuids, index) => {
			const main = [uuids.map((uuid) => ({ json: { uuid } }))];
			const data = JSON.stringify({ resultData: { runData: { [TRIGGER]: [{ data: { main } }] } } });
			return { id: String(index + 1), status: 'success', data };
		}),
	};
}

/** What is said of a run in which "a" was submitted and one kill fell. */
function explained(before: Stored, after: Stored, atEnd: Stored): Array<Omit<Finding, 'proof'>> {
	const ledger = settle(['a'], deliveriesIn(atEnd, TRIGGER, parse));
	const findings = explain(ledger, [{ number: 1, before, after }], TRIGGER, parse);
	return findings.map(({ uuid, what, kill }) => ({ uuid, what, kill }));
}

const nothing = stored([]);
const stateOnly = stored(['a']);
const executionOnly = stored([], ['a']);
const both = stored(['a'], ['a']);
const twice = stored(['a'], ['a'], ['a']);

describe('a finding of a delivery run', () => {
	it('is there for nothing that was delivered once', () => {
		expect(explained(nothing, both, both)).toEqual([]);
	});

	it('is a kill’s doing where a response came into the state just before it, and into no execution', () => {
		expect(explained(nothing, stateOnly, stateOnly)).toEqual([
			{ uuid: 'a', what: 'lost', kill: 1 },
		]);
	});

	it('is the trigger’s fault where the state had a lost response for longer', () => {
		expect(explained(stateOnly, stateOnly, stateOnly)).toEqual([{ uuid: 'a', what: 'lost' }]);
	});

	it('is the trigger’s fault where the state never had a lost response', () => {
		expect(explained(nothing, nothing, nothing)).toEqual([{ uuid: 'a', what: 'lost' }]);
	});

	it('is a kill’s doing where a response came into an execution just before it, and not into the state', () => {
		expect(explained(nothing, executionOnly, twice)).toEqual([
			{ uuid: 'a', what: 'repeated', kill: 1 },
		]);
	});

	it('is the trigger’s fault where the state knew a response that is repeated', () => {
		expect(explained(nothing, both, twice)).toEqual([{ uuid: 'a', what: 'repeated' }]);
	});

	it('is the trigger’s fault where an execution had a repeated response well before the kill', () => {
		expect(explained(executionOnly, executionOnly, twice)).toEqual([
			{ uuid: 'a', what: 'repeated' },
		]);
	});

	it('is the trigger’s fault where a response is repeated more often than kills can do', () => {
		const thrice = stored(['a'], ['a'], ['a'], ['a']);
		expect(explained(nothing, executionOnly, thrice)).toEqual([{ uuid: 'a', what: 'repeated' }]);
	});
});
