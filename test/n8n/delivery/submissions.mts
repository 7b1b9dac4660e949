import lodash from 'lodash';
import { setTimeout as sleep } from 'node:timers/promises';
import {
	type Credential,
	type WorkflowFile,
	workflowNode,
} from '../../../scripts/lib/n8n/rest.mts';
import { type Fault, faultTable, type Service } from '../../service/index.mts';
import type { Mode } from './modes.mts';

export const TRIGGER = 'New Response';
const POLL_TIMES = [0, 10, 20, 30, 40, 50].map((second) => `${second} * * * * *`);

/** A trigger on a form, which n8n polls every ten seconds, and a node that does nothing. */
export const triggerWorkflow = (credential: Credential, formId: string): WorkflowFile => ({
	name: 'Delivery',
	nodes: [
		workflowNode(TRIGGER, 'n8n-nodes-formservice.formServiceTrigger', {
			credentials: { formServiceApi: credential },
			parameters: {
				pollTimes: {
					item: POLL_TIMES.map((cronExpression) => ({ mode: 'custom', cronExpression })),
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

/** How many requests for responses the service has got. */
export const countPolls = ({ requests }: Pick<Service, 'requests'>) =>
	requests.filter(({ path }) => path.startsWith('/responses/')).length;

/** Adds responses with a name and an email address at random times of about the given span. */
export async function submitAll(
	{ store }: Service,
	formId: string,
	{ submissions, durationMs }: Pick<Mode, 'submissions' | 'durationMs'>,
): Promise<void> {
	for (const index of lodash.range(submissions)) {
		await sleep((Math.random() * 2 * durationMs) / submissions);
		const answers = { Name: `Person ${index}`, Email: 'ada@example.com' };
		store.addResponse(formId, { answers });
	}
}

/** The daily limit would outlast the run, and the others take up to a minute each: little else would happen. */
const LONG = ['tooManyDay', 'silentBefore', 'silentAfter'] as const;
const FAULTS: Fault[] = Object.values(lodash.omit(faultTable, LONG));

/**
 * Makes a third of the requests for responses and fields fail, in many ways. At most two in a row fail: after
 * more, the trigger would hardly poll in a run of minutes. Returns the counts so far.
 */
export function failAThird({ faults }: Service) {
	const counts = { requests: 0, failedRequests: 0 };
	let outcomes: boolean[] = [];
	const chooseFault = (): Fault | undefined => {
		counts.requests++;
		if (outcomes.length === 0) outcomes = lodash.shuffle([true, false, false]);
		if (!outcomes.pop()) return undefined;
		counts.failedRequests++;
		return lodash.sample(FAULTS);
	};
	faults.set({ fault: chooseFault, match: { path: /^\/(responses\/|forms\/[^/]+\/fields)/ } });
	return counts;
}
