import { setTimeout as sleep } from 'node:timers/promises';
import { submitFormPage } from '../../service/submitForm.mts';
import { type WorkflowFile, workflowNode } from '../../../scripts/lib/n8n/rest.mts';
import type { Service } from '../../service/index.mts';
import type { Credential } from '../instance.mts';

type Plan = { formIds: string[]; submissions: number; durationMs: number };

/** Submits the pages of forms with a name, an email address and a message, at random times of the given span. */
export async function submitAll(
	service: Service,
	{ formIds, submissions, durationMs }: Plan,
	random: () => number,
): Promise<void> {
	const start = Date.now();
	const times = Array.from({ length: submissions }, () => random() * durationMs);
	for (const [index, time] of times.sort((one, other) => one - other).entries()) {
		await sleep(Math.max(0, start + time - Date.now()));
		await submitFormPage(service, formIds[index % formIds.length], {
			Name: 'Ada Lovelace',
			Email: 'ada@example.com',
			Message: `Submission ${index}`,
		});
	}
	await sleep(Math.max(0, start + durationMs - Date.now()));
}

/** How many requests for the responses of any form the service has got. */
export const countPolls = ({ requests }: Pick<Service, 'requests'>) =>
	requests.filter(({ path }) => path.startsWith('/responses/')).length;

/** Waits for a condition; returns whether it came about in time. */
export async function until(
	condition: () => boolean | Promise<boolean>,
	timeoutMs: number,
): Promise<boolean> {
	const deadline = Date.now() + timeoutMs;
	while (!(await condition())) {
		if (Date.now() > deadline) return false;
		await sleep(20);
	}
	return true;
}

/** Numbers from 0 up to 1 that are the same for the same seed (Park and Miller). */
export function randomNumbers(seed: number): () => number {
	let state = (seed % 2_147_483_646) + 1;
	return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

export const TRIGGER = 'New Response';

/** A trigger on a form or on all of them, which n8n polls every ten seconds, and a node that does nothing. */
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
				...(formId === 'all'
					? { watch: 'all' }
					: { watch: 'one', formId: { __rl: true, mode: 'id', value: formId } }),
				events: ['responseCompleted'],
				options: { requestsPerDay: 100_000 },
			},
		}),
		workflowNode('End', 'n8n-nodes-base.noOp', { position: [240, 0] }),
	],
	connections: { [TRIGGER]: { main: [[{ node: 'End', type: 'main', index: 0 }]] } },
	settings: { executionOrder: 'v1' },
});
