/** Response Updated: the answers of a completed response changed, whichever other events are chosen. */
import { expect, it } from 'vitest';
import {
	RESPONSE_EVENTS,
	type ResponseEvent,
} from '../../nodes/FormService/parameters/triggerEvents.ts';
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
async function play(story: string, mode: Mode, events: readonly ResponseEvent[]) {
	const world = new World(['A'], { mode, events });
	const { A } = world.forms;
	const [beginning, ...rest] = story.split(', ');
	// the response is there before the trigger, or comes later
	const isIncomplete = beginning.startsWith('begun');
	const isEarlier = beginning.endsWith('before');
	const existing = isEarlier && A.submit(isIncomplete, world.time.actual() - HOUR_MS);
	await world.beginAndRun(10);
	const response = existing || world.submit(A, isIncomplete);
	await world.run(10);
	for (const step of rest) {
		for (const one of step.split(' and ')) await steps[one](world, response);
		await world.run(10);
		world.oracle.edits.settle();
	}
	return world.polls.flatMap(listEvents).map((event) => event.replace(/.* response/, ''));
}

it.each([
	['begun, edited, 29 hours, edited', 'Started Abandoned'],
	['begun, edited and completed', 'Started Completed'],
	['begun, completed and edited', 'Started Completed'],
	['begun, edited, completed, edited', 'Started Completed Updated'],
	['begun before, edited, edited and completed, edited', 'Completed Updated'],
	['begun before, edited, restarted, completed', 'Completed'],
	['submitted before, edited', 'Updated'],
	['submitted, edited, edited and edited', 'Completed Updated Updated'],
	['submitted, reopened, completed', 'Completed'],
	['submitted, reopened, edited, completed', 'Completed Updated'],
])('A response that is %s: %s, or only Updated if it alone is chosen', async (story, all) => {
	expect(await play(story, 'default', RESPONSE_EVENTS)).toEqual(all.split(' '));
	const updates = all.split(' ').filter((event) => event === 'Updated');
	expect(await play(story, 'durable', ['responseUpdated'])).toEqual(updates);
});
