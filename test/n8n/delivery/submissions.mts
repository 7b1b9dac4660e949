import { setTimeout as sleep } from 'node:timers/promises';
import { submitFormPage } from '../../../scripts/lib/formPage.mts';
import type { Service } from '../../service/index.mts';

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

/** The UUIDs of a form's responses. */
export const responsesOf = ({ store }: Service, formId: string) =>
	store.responses(formId).map(({ uuid }) => uuid);

/** How often the responses of any form have been asked for. */
export const looks = ({ requests }: Service) =>
	requests.filter(({ path }) => path.startsWith('/responses/')).length;

/** Waits for a condition, and gives whether it came about in time. */
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
