/**
 * How soon docs/trigger.md promises an event ("How often it polls"), if all goes well and n8n polls each
 * minute.
 */
import { expect } from 'vitest';
import type { Owed } from './edits.mts';
import { FIELD_COUNT, Form, isListed } from './service.mts';
import { DAY_MINUTES, MINUTE_MS } from '../time.mts';
import type { World } from './world.mts';

const countPages = (entries: number, pageSize: number) =>
	Math.max(1, Math.ceil(entries / pageSize));

/** Minutes from an event to the poll that delivers it, at most. */
function promiseMinutes({ subject, event, at }: Owed, world: World): number {
	const { forms, n8n, service } = world;
	const { events, requestsPerDay, watch } = n8n.parameters;
	const isListRead = watch.kind === 'all' || events.includes('formUpdated');
	const lists = (world.readsResponses() ? world.watchedForms().length : 0) + Number(isListRead);
	const perRequest = Math.max(1, (DAY_MINUTES / requestsPerDay) * lists);
	const listed = Object.values(forms).filter(isListed);
	const listPages = countPages(listed.length, service.otherPageSize);
	if (subject instanceof Form) return listPages * perRequest;
	const { order, pageSize } = subject.form.listing;
	const pages = countPages(subject.form.kept.length, pageSize);
	const isNew = !event.endsWith('Updated') && at - subject.createdAt < MINUTE_MS;
	// polls take turns: one looks at the end of a list that has an order, and the next one at its next page
	const turns = isNew && order !== 'shuffled' ? 1 : pages;
	const requests = pages === 1 ? 1 : 2 * turns;
	// each hour, an item can need the list of all forms and the fields
	const extra = listPages + countPages(FIELD_COUNT, service.otherPageSize);
	return (requests + extra) * perRequest;
}

/**
 * n8n polls until nothing is owed, and expects it as soon as it is promised, or in twice as long: a round can grow
 * and begin again meanwhile.
 *
 * @param untilMs what is owed until then, in epoch milliseconds
 */
export async function expectInTime(world: World, untilMs = world.time.actual()): Promise<void> {
	const { oracle, time } = world;
	const from = time.actual();
	for (;;) {
		const owed = oracle.listOwed().filter(({ at }) => at <= untilMs);
		if (owed.length === 0) return;
		const now = time.actual();
		for (const one of owed) {
			const promiseMs = promiseMinutes(one, world) * MINUTE_MS;
			const limit = Math.max(one.at, from) + 2 * promiseMs + 3 * MINUTE_MS;
			expect(now, `${one.event} of ${one.subject.id} is in time`).toBeLessThanOrEqual(limit);
		}
		const next = Math.min(...owed.map(({ at }) => at));
		// what happens much later does not need each of the polls before
		await world.tick(Math.max(MINUTE_MS, (next - now) / 4));
	}
}
