/** Response Updated: the answers of a completed response changed, whichever other events are chosen. */
import { expect, it } from 'vitest';
import type { ResponseEvent } from '../../nodes/FormService/parameters/triggerEvents.ts';
import type { Mode } from './n8n.mts';
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
async function play(story: string, events: readonly ResponseEvent[], mode: Mode) {
	const world = new World(['A'], { mode, events });
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
	return world.polls.flatMap(listEvents).map((event) => event.replace(/.* response/, ''));
}

const OTHERS = ['responseStarted', 'responseAbandoned', 'responseCompleted'] as const;
const combinations = Array.from({ length: 2 ** OTHERS.length }, (_one, n) =>
	OTHERS.filter((_event, bit) => (n >> bit) % 2 === 1),
);

/** A story, and the events that it has if all are chosen. */
const stories: Array<[story: string, events: string]> = [
	['begun, edited, edited', 'Started'],
	['begun, edited, 29 hours, edited', 'Started Abandoned'],
	['begun, edited, completed', 'Started Completed'],
	['begun, edited and completed', 'Started Completed'],
	['begun, completed and edited', 'Started Completed'],
	['begun, edited, completed, edited', 'Started Completed Updated'],
	['begun, 29 hours, edited and completed, edited', 'Started Abandoned Completed Updated'],
	['begun before, edited, edited and completed, edited', 'Completed Updated'],
	['begun before, edited, restarted, completed', 'Completed'],
	['submitted before, edited', 'Updated'],
	['submitted, edited, edited and edited', 'Completed Updated Updated'],
	['submitted, reopened, edited, completed', 'Completed Updated'],
	['submitted, reopened and edited and completed', 'Completed Updated'],
	['submitted, reopened, completed', 'Completed'],
	['submitted, reopened, edited, edited', 'Completed'],
	['submitted, reopened, edited, completed, edited', 'Completed Updated Updated'],
	['begun, edited, completed, reopened, edited, completed', 'Started Completed Updated'],
];

it.each(stories)('A response that is %s: %s, and less if less is chosen', async (story, all) => {
	for (const [n, others] of combinations.entries()) {
		const events: ResponseEvent[] = [...others, 'responseUpdated'];
		const expected = all.split(' ').filter((event) => events.some((one) => one.endsWith(event)));
		const mode = n % 2 === 0 ? 'default' : 'durable';
		expect(await play(story, events, mode), `${events.join()} (${mode})`).toEqual(expected);
	}
});
