/** Deliveries: what has no room yet, what is edited, and a trigger that gets another name. */
import lodash from 'lodash';
import { expect, it } from 'vitest';
import {
	RESPONSE_EVENTS,
	type ResponseEvent,
} from '../../nodes/FormService/parameters/triggerEvents.ts';
import type { Mode } from './n8n.mts';
import { HOUR_MS } from '../time.mts';
import { World } from './world.mts';

it('Max Responses per Poll leaves each form its turn, although one has more than it can deliver', async () => {
	// each form is due with each poll
	const world = new World(['A', 'B', 'C'], { maxPerPoll: 2, requestsPerDay: 86_400 });
	const { A, B, C } = world.forms;
	await world.begin(5);
	const happen = (minute: number) => {
		lodash.times(3, () => world.submit(A));
		if (minute === 10) [B, C].map((form) => world.submit(form));
	};
	await world.run(60, { happen });
	expect(world.delivered).toContain('B-2 responseCompleted');
	expect(world.delivered).toContain('C-2 responseCompleted');
});

it.each<[Mode, readonly ResponseEvent[], string[]]>([
	['default', RESPONSE_EVENTS, ['A-2 responseCompleted', 'A-2 responseUpdated']],
	['durable', ['responseUpdated'], ['A-2 responseUpdated']],
])(
	'A response that is reopened has no event until it is completed with other answers (%s, %j)',
	async (mode, events, expected) => {
		const world = new World(['A'], { mode, events });
		await world.begin(10);
		const response = world.submit(world.forms.A);
		await world.run(10);
		response.incomplete = true;
		await world.run(10);
		world.oracle.edit(response);
		await world.run(29 * 60, { periodMinutes: 60 });
		expect(world.delivered).toEqual(expected.slice(0, -1));
		response.incomplete = false;
		await world.run(10);
		expect(world.delivered).toEqual(expected);
	},
);

it.each<Mode>(['default', 'durable'])(
	'A trigger that is renamed for a while, in which n8n is killed, continues (%s)',
	async (mode) => {
		const world = new World(['A'], { mode, emitSince: 0 });
		const { A } = world.forms;
		await world.begin(60);
		world.submit(A);
		await world.run(60);
		world.submit(A);
		world.n8n.nodeName = 'Renamed';
		await world.restart();
		world.submit(A);
		await world.tick(HOUR_MS);
		world.n8n.nodeName = 'Trigger';
		await world.publish();
		await world.restart();
		world.submit(A);
		await world.calm();
		expect(world.delivered).toEqual(A.kept.map(({ id }) => `${id} responseCompleted`));
	},
);
