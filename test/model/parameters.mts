/** What a person sets on the trigger. */
import type { INodeParameters } from 'n8n-workflow';
import type { TriggerEvent } from '../../nodes/FormService/parameters/triggerEvents.ts';

export type Parameters = {
	watch:
		| { kind: 'chosen'; formIds: readonly string[] }
		| { kind: 'all'; except: readonly string[] };
	events: readonly TriggerEvent[];
	/** One Column per Field, which needs the fields of the form. */
	columns: boolean;
	/** Existing responses since then start the workflow, in epoch milliseconds: 0 for all, Infinity for none. */
	emitSince: number;
	maxPerPoll: number;
	requestsPerDay: number;
};

/** All forms are watched. */
export const ALL = { kind: 'all', except: [] } as const;

export const defaults = {
	events: ['responseCompleted'],
	columns: false,
	emitSince: Infinity,
	maxPerPoll: 100,
	requestsPerDay: 720,
} as const;

/** The parameters as the editor saves them. */
export function listNodeParameters({ watch, events, ...rest }: Parameters): INodeParameters {
	const { emitSince, ...options } = rest;
	const formIds = watch.kind === 'chosen' ? [...watch.formIds] : [];
	const since = emitSince < Infinity && { emitExistingSince: new Date(emitSince).toISOString() };
	return {
		watch: watch.kind === 'all' ? 'all' : formIds.length === 1 ? 'one' : 'several',
		formId: formIds[0],
		formIds,
		exceptFormIds: watch.kind === 'all' ? [...watch.except] : [],
		events: [...events],
		abandonedAfterHours: 24,
		simplify: true,
		options: { ...options, ...since },
	};
}
