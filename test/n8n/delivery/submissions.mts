import lodash from 'lodash';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** A trigger on a form, which n8n polls every ten seconds, and a node that does nothing. */
export const triggerWorkflow = (credential: Credential, formId: string): WorkflowFile => ({
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
				formId: { __rl: true, mode: 'id', value: formId },
				events: ['responseCompleted'],
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

/** Kinds that take up to a minute each: one of all of them for all others, or little else would happen in a run. */
const LONG = ['silentBefore', 'silentAfter', 'tooManyMinute', 'tooManyBare'] as const;

/** The daily limit would outlast the run. */
const SHORT = lodash.without(Object.keys(faultTable), 'tooManyDay', ...LONG) as FaultName[];

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
	let failed = 0;
	let kinds: FaultName[] = [];
	let outcomes: boolean[] = [];
	const chooseFault = (): Fault | undefined => {
		if (outcomes.length === 0) outcomes = lodash.shuffle([true, false, false]);
		if (!outcomes.pop()) return Math.random() < 1 / 10 ? slow(3_000) : undefined;
		if (kinds.length === 0) kinds = lodash.shuffle([...SHORT, lodash.sample(LONG)!]);
		failed++;
		return faultTable[kinds.pop()!];
	};
	faults.set({ fault: chooseFault, match: { path: MAY_FAIL } });
	return () => failed;
}
