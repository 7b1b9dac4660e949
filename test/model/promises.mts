/**
 * How soon docs/trigger.md promises an event ("How often it polls"), if all goes well and n8n polls each
 * minute.
 */
import { expect } from 'vitest';
import type { Owed } from './oracle.mts';
import { FIELD_COUNT, Form, isListed } from './service.mts';
import { DAY_MINUTES, MINUTE_MS } from '../time.mts';
import type { World } from './world.mts';

/** Lists of fewer pages are read whole about as soon. */
const MIN_PAGES = 3;

/** So many rounds list each response, if those of one second are in another order for each page. */
const ROUNDS_WITH_SHUFFLED_TIES = 20;

/** Minutes from an event to the poll that delivers it, at most. */
function promiseMinutes({ subject, event, at }: Owed, world: World): number {
	const { forms, n8n, service } = world;
	const { events, requestsPerDay, watch } = n8n.parameters;
	const countPages = (entries: number, pageSize = service.otherPageSize) =>
		Math.max(1, Math.ceil(entries / pageSize));
	const listPages = countPages(Object.values(forms).filter(isListed).length);
	const spacing = DAY_MINUTES / requestsPerDay;
	const isListAlone = events.every((one) => one.startsWith('form'));
	if (subject instanceof Form && isListAlone) return listPages * spacing;
	// chosen forms are watched, whether they are there or not
	const ids = watch.kind === 'all' ? world.watchedForms() : watch.formIds;
	if (subject instanceof Form) return listPages * spacing * (1 + ids.length);
	const isListRead = watch.kind === 'all' || events.includes('formUpdated');
	const perRequest = spacing * (ids.length + Number(isListRead));
	const { kept, listing } = subject.form;
	const { order, pageSize, shufflesTies } = listing;
	const rounds = shufflesTies ? ROUNDS_WITH_SHUFFLED_TIES : 1;
	const pages = countPages(kept.length, pageSize) * rounds;
	const isOrdered = order !== 'shuffled' && isOrderEvident(subject.form);
	const isNew = !event.endsWith('Updated') && at - subject.createdAt < MINUTE_MS;
	// few pages can look as if they were in order
	const requests = pages < MIN_PAGES ? pages : 2 * (isNew && isOrdered ? 1 : pages);
	// each hour, an item can need the list of all forms and the fields
	return (requests + listPages + countPages(FIELD_COUNT)) * perRequest;
}

/** Whether more than half of the pages show the order, because not all of their responses are of one second. */
function isOrderEvident({ kept, listing }: Form): boolean {
	const { pageSize, shufflesTies } = listing;
	if (!shufflesTies) return true;
	const tied = kept.length - new Set(kept.map(({ createdAt }) => createdAt)).size;
	const tiedPages = Math.floor(tied / (pageSize - 1));
	return 2 * tiedPages < kept.length / pageSize;
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
		const pauses = owed.map((one) => {
			const promiseMs = promiseMinutes(one, world) * MINUTE_MS;
			const since = Math.max(one.at, from);
			const limit = since + 2 * promiseMs + 3 * MINUTE_MS;
			expect(now, `${one.event} of ${one.subject.id} is in time`).toBeLessThanOrEqual(limit);
			return now < since ? (since - now) / 4 : promiseMs / 20;
		});
		await world.tick(Math.max(MINUTE_MS, Math.min(...pauses)));
	}
}
