import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TriggerEvent } from '../../../nodes/FormService/parameters/watched.ts';
import { type WorkflowFile, workflowNode } from '../../../scripts/lib/n8n/rest.mts';
import {
	type Fault,
	type FaultName,
	faultTable,
	type Service,
	slow,
} from '../../service/index.mts';
import { submitFormPage } from '../../service/submitForm.mts';
import type { Credential } from '../instance.mts';

export const TRIGGER = 'New Response';

/** A trigger on a form or on all of them, which n8n polls every ten seconds, and a node that does nothing. */
export const triggerWorkflow = (
	credential: Credential,
	formId: string | undefined,
	events: readonly TriggerEvent[] = ['responseCompleted'],
): WorkflowFile => ({
	name: 'Delivery',
	nodes: [
		workflowNode(TRIGGER, 'n8n-nodes-formservice.formServiceTrigger', {
			credentials: { formServiceApi: credential },
			parameters: {
				pollTimes: {
					item: [0, 10, 20, 30, 40, 50].map((second) => ({
						mode: 'custom',
						cronExpression: `${second} * * * * *`,
					})),
				},
				watch: formId === undefined ? 'all' : 'one',
				...(formId !== undefined && { formId: { __rl: true, mode: 'id', value: formId } }),
				events: [...events],
				options: { requestsPerDay: 100_000 },
			},
		}),
		workflowNode('End', 'n8n-nodes-base.noOp', { position: [240, 0] }),
	],
	connections: { [TRIGGER]: { main: [[{ node: 'End', type: 'main', index: 0 }]] } },
	settings: { executionOrder: 'v1' },
});

/** How many requests for the responses of any form the service has got. */
export const countPolls = ({ requests }: Pick<Service, 'requests'>) =>
	requests.filter(({ path }) => path.startsWith('/responses/')).length;

type Plan = { formIds: string[]; submissions: number; durationMs: number };

/** Submits the pages of forms with a name, an email address and a message, at random times of the given span. */
export async function submitAll(service: Service, plan: Plan): Promise<void> {
	const { formIds, submissions, durationMs } = plan;
	const start = Date.now();
	const times = Array.from({ length: submissions }, () => Math.random() * durationMs);
	for (const [index, time] of times.sort((one, other) => one - other).entries()) {
		await sleep(Math.max(0, start + time - Date.now()));
		const person = { Name: 'Ada Lovelace', Email: 'ada@example.com' };
		const answers = { ...person, Message: `Submission ${index}` };
		await submitFormPage(service, formIds[index % formIds.length], answers);
	}
	await sleep(Math.max(0, start + durationMs - Date.now()));
}

/** A response with its message, or a form with its name. Each comes once. */
export const nameVersion = ({ uuid = '', answers, form }: IDataObject): string =>
	`${String(uuid)} ${String(Object.values((answers ?? form) as IDataObject).at(-1))}`.trim();

/**
 * Edits a third as many responses as are submitted, over the given span, and renames each form in its middle.
 *
 * @returns the versions before the edits: the trigger may have read each of them, or not
 */
export async function changeAll({ store }: Service, plan: Plan): Promise<Set<string>> {
	const { formIds, submissions, durationMs } = plan;
	const edits = Math.floor(submissions / 3);
	const former = new Set<string>();
	for (let edit = 1; edit <= edits; edit++) {
		await sleep(durationMs / edits);
		const response = lodash.sample(formIds.flatMap(store.responses));
		if (response === undefined) continue;
		former.add(nameVersion(response));
		store.changeResponse(response.uuid, { Message: `Edit ${edit}` }, false);
		for (const id of edit === edits >> 1 ? formIds : [])
			store.editSettings(id, { name: `Renamed ${id}` });
	}
	return former;
}

/** The daily limit would outlast the run. */
const LEFT_OUT = ['tooManyDay'];

/** Kinds that take up to a minute each: one of all of them for all others, or little else would happen in a run. */
const LONG: FaultName[] = [
	...(['silentBefore', 'silentAfter'] as const),
	...(['tooManyMinute', 'tooManyBare'] as const),
];

/** Requests for responses and fields. The trigger reads the list of forms again within an hour: a run is shorter. */
const MAY_FAIL = /^\/(responses\/|forms\/[^/]+\/fields)/;

/** How many requests that may fail the service has got, see `failAThird`. */
export const countFallible = ({ requests }: Pick<Service, 'requests'>) =>
	requests.filter(({ path }) => MAY_FAIL.test(path)).length;

/**
 * Makes a third of the API's requests fail, in all the ways of the service's fault table, and some good
 * replies late. At most two in a row fail: after more, the trigger would hardly poll in a run of minutes.
 *
 * @returns a function that says how many have failed so far
 */
export function failAThird({ faults }: Service): () => number {
	const names = Object.keys(faultTable) as FaultName[];
	const short = names.filter((name) => !LEFT_OUT.includes(name) && !LONG.includes(name));
	let failed = 0;
	let kinds: FaultName[] = [];
	let outcomes: boolean[] = [];
	const chooseFault = (): Fault | undefined => {
		if (outcomes.length === 0) outcomes = lodash.shuffle([true, false, false]);
		if (!outcomes.pop()) return Math.random() < 1 / 10 ? slow(3_000) : undefined;
		if (kinds.length === 0) kinds = lodash.shuffle([...short, lodash.sample(LONG)!]);
		failed++;
		return faultTable[kinds.pop()!];
	};
	faults.set({ fault: chooseFault, match: { path: MAY_FAIL } });
	return () => failed;
}
