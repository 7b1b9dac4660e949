import type { IDataObject, IRunExecutionData } from 'n8n-workflow';
import {
	Fingerprints,
	type KnownResponses,
	status,
} from '../../../nodes/FormService/trigger/knownResponses.ts';
import { fromSaved } from '../../../nodes/FormService/trigger/stateCodec.ts';
import { deliveriesIn, type Stored } from './database.mts';
import type { Ledger } from './ledger.mts';

/** n8n's database a moment before a kill, and as the kill left it. */
export type Kill = { number: number; before: Stored; after: Stored };

/** A delivery that went wrong, and what n8n's database says about it. */
export type Finding = {
	uuid: string;
	what: 'lost' | 'repeated' | 'unexpected';
	/** the kill that explains it; without one it is the trigger's own fault */
	kill?: number;
	proof: string;
};

type Reading = {
	/** whether the trigger's saved state has a response as delivered */
	isKnown(uuid: string): boolean;
	/** the executions that have a response */
	executionsOf(uuid: string): string[];
};

const NOT_BETWEEN = 'no kill fell between n8n’s two writes of it';

/**
 * Looks for the kill that fell between n8n's two writes. In its default mode n8n saves the state of a
 * trigger and the execution that it starts one by one: a kill in between leaves the one without the
 * other. That is proven only where the one was not there a moment before the kill either: what the state
 * had for longer without an execution is no kill's doing.
 */
export function explain(
	{ lost, repeated }: Ledger,
	kills: readonly Kill[],
	trigger: string,
	parse: (text: string) => IRunExecutionData,
): Finding[] {
	const seen = kills.map(({ number, before, after }) => ({
		number,
		before: readingOf(before, trigger, parse),
		after: readingOf(after, trigger, parse),
	}));
	return [
		...lost.map((uuid): Finding => {
			const orphan = seen.find(({ after }) => after.isKnown(uuid) && !recorded(after, uuid));
			if (!orphan) return { uuid, what: 'lost', proof: NOT_BETWEEN };
			if (orphan.before.isKnown(uuid)) {
				const proof = `the saved state had it well before kill ${orphan.number}, and no execution did`;
				return { uuid, what: 'lost', proof };
			}
			const proof =
				'a moment before, the saved state did not have it; after it, the state did and no execution';
			return { uuid, what: 'lost', kill: orphan.number, proof };
		}),
		...repeated.map(({ uuid, executionIds }): Finding => {
			// one kill can cause one repetition
			const isOnce = executionIds.length === 2;
			const kill = seen.find(
				({ before, after }) =>
					!recorded(before, uuid) && after.executionsOf(uuid).length === 1 && !after.isKnown(uuid),
			);
			if (!isOnce || !kill) return { uuid, what: 'repeated', proof: NOT_BETWEEN };
			const proof = `a moment before, no execution had it; after it, execution ${executionIds[0]} did and the saved state not`;
			return { uuid, what: 'repeated', kill: kill.number, proof };
		}),
	];
}

const recorded = (reading: Reading, uuid: string) => reading.executionsOf(uuid).length > 0;

function readingOf(
	stored: Stored,
	trigger: string,
	parse: (text: string) => IRunExecutionData,
): Reading {
	const node = stored.staticData[`node:${trigger}`] as IDataObject | undefined;
	const restored = fromSaved(node?.state);
	const forms = restored.kind === 'state' ? [...restored.state.forms.values()] : [];
	const executions = Map.groupBy(deliveriesIn(stored, trigger, parse), ({ uuid }) => uuid);
	return {
		isKnown: (uuid) => forms.some(({ known }) => known !== undefined && isComplete(known, uuid)),
		executionsOf: (uuid) => (executions.get(uuid) ?? []).map(({ executionId }) => executionId),
	};
}

function isComplete(known: KnownResponses, uuid: string): boolean {
	const numbers = new Fingerprints(known.size + 1);
	numbers.addAll(known.fingerprints);
	const number = numbers.numberOf(uuid);
	return number < known.size && known.statuses[number] === status.complete;
}
