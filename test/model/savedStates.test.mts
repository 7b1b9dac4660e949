/**
 * Updates of the package: `savedStates/` has the states that released versions have really written at the
 * end of some stories, in both modes. With WRITE_STATES=0.2.0, this file writes those of that version.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import type { Mode, Poll, Process } from './n8n.mts';
import { faults, failPage, type Order } from './service.mts';
import { DAY_MINUTES, DAY_MS, MINUTE_MS } from '../time.mts';
import { RESPONSE_EVENTS } from '../../nodes/FormService/parameters/triggerEvents.ts';
import { ALL, createPaged, START, World } from './world.mts';

type Given = { mode: Mode; process?: Process };

type Story = {
	create: (given: Given) => World;
	/** What happens until the state is saved. The default mode saves a state with items alone. */
	happen: (world: World, mode: Mode) => Promise<void>;
	/** What happens while the package is updated. */
	change: (world: World) => void;
	/** The events that start the workflow after the update, sorted. */
	expected: string[];
};

/** The end of a story: what the database had, and the polls that had items until then. */
type Saved = {
	endedAtMs: number;
	/** The static data of the node, as 0.1.0 used them. */
	staticData?: IDataObject;
	/** What later versions have saved. */
	database?: World['n8n']['saved'];
	polls: Poll[];
};

/** After a first pass, two of three new responses have found no capacity. */
const createPagedStory = (order: Order, minutes: number): Story => ({
	create: (given) => {
		const isIncomplete = (number: number) => number === 4;
		const paging = 'number';
		return createPaged({ ...given, order, paging, pages: 6, isIncomplete, maxPerPoll: 1 }).world;
	},
	happen: async (world) => {
		const { A } = world.forms;
		await world.beginAndRun(11);
		for (let count = 0; count < 3; count++) world.submit(A);
		await world.run(minutes);
	},
	change: (world) => world.complete(world.forms.A.kept[3]),
	expected: ['A-19 responseCompleted', 'A-20 responseCompleted', 'A-4 responseCompleted'],
});

const stories: Record<string, Story> = {
	'during a first pass': {
		create: (given) => createPaged({ ...given, pages: 30 }).world,
		happen: async (world, mode) => {
			const latencyMs = mode === 'default' ? 20_000 : 8_000;
			await world.begin({ latencyMs: 20_000 });
			world.time.pass(START + 10 * MINUTE_MS - world.time.actual());
			world.submit(world.forms.A);
			await world.tick(MINUTE_MS, { latencyMs });
		},
		change: (world) => void world.submit(world.forms.A),
		expected: ['A-91 responseCompleted'],
	},
	'without capacity for events of the first page': createPagedStory('newest', 2),
	'without capacity for events of the last page': createPagedStory('oldest', 4),
	'while a page fails': {
		create: (given) => {
			const isIncomplete = (number: number) => number < 20;
			return createPaged({ ...given, pages: 12, isIncomplete }).world;
		},
		happen: async (world) => {
			const treatment = failPage(5, faults.serverError);
			await world.beginAndRun(10);
			await world.run(40, undefined, treatment);
			world.submit(world.forms.A);
			await world.run(3, undefined, treatment);
		},
		change: (world) => world.complete(world.forms.A.kept[1]),
		expected: ['A-2 responseCompleted'],
	},
	'with responses in all phases': {
		create: (given) => new World(['A'], { ...given, events: RESPONSE_EVENTS }),
		happen: async (world) => {
			const { A } = world.forms;
			A.submit(true, world.time.actual() - 30 * DAY_MS);
			await world.beginAndRun(10);
			world.submit(A, true);
			world.submit(A);
			await world.run(30 * 60, undefined, { periodMinutes: 10 });
			world.edit(A.kept[0]);
			world.submit(A, true);
			await world.run(10);
		},
		change: (world) => {
			const { kept } = world.forms.A;
			for (const response of [kept[0], kept[3]]) world.edit(response);
			for (const response of [kept[1], kept[2]]) world.complete(response);
		},
		expected: [
			'A-1 responseUpdated',
			'A-2 responseCompleted',
			'A-3 responseCompleted',
			'A-4 responseUpdated',
		],
	},
	'with events of forms': {
		create: (given) => {
			const events = ['formCreated', 'formUpdated', 'responseCompleted'] as const;
			return new World(['A', 'B', 'C'], { ...given, watch: ALL, events });
		},
		happen: async (world) => {
			const { B, C } = world.forms;
			await world.beginAndRun(20);
			world.setListed(C, false);
			world.createForm('D');
			await world.run(60);
			world.edit(B);
			await world.run(60);
		},
		change: (world) => {
			const { A, B, C, D } = world.forms;
			world.setListed(C, true);
			world.edit(B);
			for (const form of [A, D]) world.submit(form);
			world.createForm('E');
		},
		expected: ['A-2 responseCompleted', 'B formUpdated', 'D-1 responseCompleted', 'E formCreated'],
	},
	'with responses that are missing': {
		create: (given) => new World(['A', 'B'], given),
		happen: async (world) => {
			const { A, B } = world.forms;
			await world.beginAndRun(10);
			for (const form of [A, B]) world.submit(form);
			await world.run(20);
			world.setDeleted(A.kept[1], true);
			// so long that the trigger marks what is missing
			await world.run(31 * DAY_MINUTES, undefined, { periodMinutes: 60 });
			world.setListed(B, false);
			world.setDeleted(A.kept[0], true);
			world.submit(A);
			await world.run(20);
		},
		change: (world) => {
			world.setDeleted(world.forms.A.kept[0], false);
			world.setListed(world.forms.B, true);
			world.submit(world.forms.A);
		},
		expected: ['A-4 responseCompleted'],
	},
};

const MODES: Mode[] = ['default', 'durable'];
const locate = (version: string, mode: Mode) =>
	new URL(`savedStates/${version}-${mode}.json`, import.meta.url);

const { WRITE_STATES: written } = process.env;
it.runIf(written)('Writes the states of this version', async () => {
	for (const mode of MODES) {
		const saved: Record<string, Saved> = {};
		for (const [name, story] of Object.entries(stories)) {
			const world = story.create({ mode });
			await story.happen(world, mode);
			const polls = world.polls.filter(({ items }) => items.length > 0);
			const endedAtMs = world.time.actual();
			const bare = polls.map((poll) => ({ ...poll, sent: [] }));
			saved[name] = { endedAtMs, database: world.n8n.saved, polls: bare };
		}
		writeFileSync(locate(written!, mode), `${JSON.stringify(saved, undefined, '\t')}\n`);
	}
});

const cases = ['0.1.0'].flatMap((version) =>
	MODES.flatMap((mode) => Object.keys(stories).map((name) => [version, mode, name] as const)),
);
it.each(cases)(
	'What version %s saved in %s mode %s goes on without loss or repetition',
	async (version, mode, name) => {
		const { create, happen, change, expected } = stories[name];
		const text = readFileSync(locate(version, mode), 'utf8');
		const { endedAtMs, staticData, database, polls } = (JSON.parse(text) as Record<string, Saved>)[
			name
		];
		// the same happens, but nobody polls
		const world = create({ mode, process: { poll: async () => null } });
		await happen(world, mode);
		world.time.pass(endedAtMs - world.time.actual());
		for (const { items, ...poll } of polls) {
			// an earlier version has saved fewer attributes
			const read = items.map((item) => ({ ...item, isIncomplete: Boolean(item.isIncomplete) }));
			world.oracle.judge({ ...poll, items: read });
		}
		world.oracle.edits.settle();
		change(world);
		if (database) world.n8n.saved = database;
		if (staticData) world.n8n.keepNodeData(staticData);
		await world.restart();
		await world.calm();
		expect(world.n8n.log.filter((text) => text.includes('saved state'))).toEqual([]);
		expect(world.delivered.toSorted()).toEqual(expected);
	},
);
