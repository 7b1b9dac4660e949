import { setTimeout as sleep } from 'node:timers/promises';
import { demoForms } from '../../test/service/index.mts';
import { submitFormPage } from '../lib/formPage.mts';
import { itemsOf } from '../lib/n8n/rest.mts';
import type { World } from './world.mts';

const TIMEOUT_MS = 120_000;

/**
 * Submits the form's page and waits until the workflow has run on that response.
 * @returns the item as the workflow got it
 * @throws Error that says how far it came
 */
export async function checkWorld({ service, n8n, workflows }: World) {
	const message = `Checked at ${new Date().toISOString()}`;
	await submitFormPage(service, demoForms.contact, {
		Name: 'Ada Lovelace',
		Email: 'ada@example.com',
		Message: message,
	});
	const workflowId = workflows['new-response.json'];
	const deadline = Date.now() + TIMEOUT_MS;
	let seen: string[] = [];
	while (Date.now() < deadline) {
		seen = [];
		for (const id of await n8n.rest.executionIds(workflowId)) {
			const execution = await n8n.rest.execution(id);
			seen.push(`${id} ${execution.status}`);
			const item = itemsOf(execution, 'New Response').find(({ json }) =>
				JSON.stringify(json).includes(message),
			);
			if (!item) continue;
			if (execution.status === 'success') return item.json;
			if (['error', 'crashed', 'canceled'].includes(execution.status)) {
				throw new Error(`Execution ${id} got the response and ended with "${execution.status}".`);
			}
		}
		await sleep(500);
	}
	throw new Error(
		`The workflow did not run on the response within ${TIMEOUT_MS / 1000} s. Its executions: ${seen.join(', ') || 'none'}.`,
	);
}
