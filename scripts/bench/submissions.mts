import { setTimeout as sleep } from 'node:timers/promises';
import { randomNumbers } from '../../test/n8n/delivery/random.mts';
import type { Service } from '../../test/service/index.mts';

/** Adds an account with forms, each with responses already, and gives the ids of the forms. */
export function addAccount(
	{ store }: Service,
	token: string,
	{ forms, responses }: { forms: number; responses: number },
): string[] {
	const { id: accountId } = store.addAccount({ tokens: [token] });
	const fields = ['Name', 'Email', 'Message'].map((label) => ({ label }));
	return Array.from({ length: forms }, (_, index) => {
		const { id } = store.addForm({ accountId, name: `Form ${index + 1}`, fields });
		for (let number = 0; number < responses; number++) submit({ store }, id);
		return id;
	});
}

function submit({ store }: Pick<Service, 'store'>, formId: string): string {
	const texts = ['Ada Lovelace', 'ada@example.com', 'I would like to know more about this.'];
	const uuids = store.fields(formId).map(({ uuid }) => uuid);
	const answers = Object.fromEntries(uuids.map((uuid, index) => [uuid, texts[index]]));
	return store.addResponse(formId, { answers }).uuid;
}

/** Submits responses at random times, the same number to each form, and gives the time of each by its UUID. */
export async function submitAll(
	service: Service,
	formIds: string[],
	{ responses, withinMs }: { responses: number; withinMs: number },
) {
	const random = randomNumbers(1);
	const start = Date.now();
	const plan = formIds
		.flatMap((formId) => Array.from({ length: responses }, () => formId))
		.map((formId) => ({ formId, at: start + random() * withinMs }))
		.sort((one, other) => one.at - other.at);
	const submitted = new Map<string, number>();
	for (const { formId, at } of plan) {
		await sleep(Math.max(0, at - Date.now()));
		submitted.set(submit(service, formId), Date.now());
	}
	return submitted;
}
