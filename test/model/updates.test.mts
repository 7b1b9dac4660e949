/** Response Updated: the answers of a completed response changed, whichever other events are chosen. */
import { expect, it } from 'vitest';
import type { ResponseEvent } from '../../nodes/FormService/parameters/triggerEvents.ts';
import type { Response } from './service.mts';
import { HOUR_MS } from '../time.mts';
import { listEvents, World } from './world.mts';

/** What happens to a response, by the word that a story has for it. Each step is followed by polls, except `and`. */
const steps: Record<string, (world: World, response: Response) => unknown> = {
	edited: (world, response) => world.edit(response),
	completed: (world, response) => world.complete(response),
	reopened: (world, response) => world.reopen(response),
	'29 hours': async (world) => await world.run(29 * 60, undefined, { periodMinutes: 60 }),
	restarted: async (world) => await world.restart(),
};

/** Plays a story of one response, and returns the events that it starts the workflow with. */
async function play(story: string, events: readonly ResponseEvent[]): Promise<string> {
	const world = new World(['A'], { mode: events.length > 1 ? 'default' : 'durable', events });
	const { A } = world.forms;
	const [beginning, ...rest] = story.split(', ');
	// the response is there before the trigger, or comes later
	const [, isIncomplete, isEarlier] = /^(begun|submitted)( before)?$/.exec(beginning)!;
	const existing = isEarlier && A.submit(isIncomplete === 'begun', world.time.actual() - HOUR_MS);
	await world.beginAndRun(10);
	const response = existing || world.submit(A, isIncomplete === 'begun');
	await world.run(10);
	for (const step of rest) {
		for (const one of step.split(' and ')) await steps[one](world, response);
		await world.run(10);
		world.oracle.edits.settle();
	}
	return world.polls
		.flatMap(listEvents)
		.join()
		.replaceAll(/[^,]* response/g, '')
		.replaceAll(',', ' ');
}

const ALL_EVENTS = [
	'responseStarted',
	'responseAbandoned',
	'responseCompleted',
	'responseUpdated',
] as const;

it.each([
	['begun, edited, 29 hours, edited', 'Started Abandoned'],
	['begun, edited and completed', 'Started Completed'],
	['begun, completed and edited', 'Started Completed'],
	['begun, edited, completed, edited', 'Started Completed Updated'],
	['begun before, edited, edited and completed, edited', 'Completed Updated'],
	['begun before, edited, restarted, completed', 'Completed'],
	['submitted before, edited', 'Updated'],
	['submitted, edited, edited and edited', 'Completed Updated Updated'],
	['submitted, reopened, edited, completed', 'Completed Updated'],
	['submitted, reopened and edited and completed', 'Completed Updated'],
	['submitted, reopened, completed', 'Completed'],
	['submitted, reopened, edited, edited', 'Completed'],
	['begun, edited, completed, reopened, edited, completed', 'Started Completed Updated'],
])(
	'A response that is %s: %s, or of these only Updated if it alone is chosen',
	async (story, all) => {
		expect(await play(story, ALL_EVENTS)).toBe(all);
		const updates = all.split(' ').filter((event) => event === 'Updated');
		expect(await play(story, ['responseUpdated'])).toBe(updates.join(' '));
	},
);
