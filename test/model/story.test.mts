/**
 * Random stories: what people do to forms, what the service and n8n do wrong, and in between polls. The
 * oracle judges each poll; at the end all is well, and nothing that is owed may be missing or late. A story
 * that fails is printed as the list of what happened.
 */
import fc from 'fast-check';
import { it } from 'vitest';
import {
	TRIGGER_EVENTS,
	RESPONSE_EVENTS,
} from '../../nodes/FormService/parameters/triggerEvents.ts';
import { faults, type Fault, type Treatment } from './faults.mts';
import type { End } from './n8n.mts';
import type { Parameters } from './parameters.mts';
import { expectInTime } from './promises.mts';
import { isListed } from './service.mts';
import type { Form, Order, Paging, Response } from './service.mts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.mts';
import { START, World } from './world.mts';

const pick = <T,>(all: readonly T[], n: number): T => all[n % all.length];

const ENDS: End[] = ['killedBefore', 'killedAfterState', 'killedAfterExecution', 'discarded'];
const GAPS_MS = [10_000, MINUTE_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS];
const PAUSES_MS = [HOUR_MS, 5 * HOUR_MS, 23 * HOUR_MS, 25 * HOUR_MS, 19 * DAY_MS];

/** No story lasts longer with pauses: the trigger forgets what is gone for 30 days. */
const STORY_MS = 20 * DAY_MS;

/** What can be watched; with Form Created, these are all forms. */
const SUBJECTS: Array<Pick<Parameters, 'watch' | 'events'>> = [
	{ watch: { kind: 'chosen', formIds: ['A'] }, events: ['responseCompleted'] },
	{ watch: { kind: 'chosen', formIds: ['A', 'B'] }, events: RESPONSE_EVENTS },
	{ watch: { kind: 'chosen', formIds: ['B', 'A'] }, events: ['responseStarted'] },
	{ watch: { kind: 'all', except: [] }, events: TRIGGER_EVENTS },
	{ watch: { kind: 'all', except: ['A'] }, events: ['responseAbandoned', 'responseCompleted'] },
	{ watch: { kind: 'all', except: ['B', 'C'] }, events: ['responseCompleted', 'formCreated'] },
	{ watch: { kind: 'all', except: [] }, events: ['formCreated'] },
	{ watch: { kind: 'chosen', formIds: ['A', 'B'] }, events: ['formUpdated'] },
	{ watch: { kind: 'chosen', formIds: ['A', 'B'] }, events: ['formUpdated', 'responseUpdated'] },
];

/** All requests fail, or those for a list, a form or a page. */
function createTrouble(n: number): Treatment {
	const fault = pick<Fault>(Object.values(faults), n);
	const scope = pick(['all', 'forms', 'fields', 'A', 'B', 'page 2'], n >> 4);
	return {
		failWith: ({ kind, form, page }) =>
			['all', kind, form, `page ${page}`].includes(scope) ? fault : undefined,
	};
}

/** What can happen, and to what: a form, any response and an incomplete one; the number chooses among cases. */
type Scene = {
	world: World;
	n: number;
	/** The time that is left for pauses. */
	leftMs: number;
	form: Form;
	response: Response;
	open?: Response;
};

const happenings: Record<string, (scene: Scene) => unknown> = {
	'someone submits': ({ world, form }) => world.submit(form),
	'someone begins a response': ({ world, form }) => world.submit(form, true),
	'many submit in a second': ({ world, form, n }) => {
		for (let count = n % 13; count > 0; count--) world.submit(form, count % 4 === 3);
	},
	'someone completes a response': ({ world, open }) => open && world.complete(open),
	'a response is edited': ({ world, response }) => world.oracle.edit(response),
	'a response is deleted or restored': ({ response }) => (response.deleted = !response.deleted),
	'a form is edited': ({ world, form }) => world.oracle.edit(form),
	'a listing is empty for a while': ({ form }) =>
		(form.state = form.state === 'empty' ? 'listed' : 'empty'),
	'a form is deleted': ({ form }) => (form.state = 'deleted'),
	'all that is gone is back': ({ world }) => world.showAll(),
	'a form is created': ({ world }) => world.forms.C === undefined && world.createForm('C'),
	'a response comes between two pages': ({ world, form }) => {
		form.betweenPages = () => void world.submit(form);
	},
	'a response is deleted between two pages': ({ form, response }) => {
		form.betweenPages = () => void ((form.listShown()[0] ?? response).deleted = true);
	},
	'a poll': async ({ world, n }) => await world.tick(pick(GAPS_MS, n)),
	'a poll fails': async ({ world, n }) => await world.tick(pick(GAPS_MS, n), createTrouble(n)),
	'a poll is slow': async ({ world, n }) =>
		await world.tick(10 * MINUTE_MS, { latencyMs: pick([200, 5_000, 12_000, 25_000], n) }),
	'n8n restarts': async ({ world }) => await world.restart(),
	'n8n does not keep all of a poll': async ({ world, n }) =>
		await world.tick(10 * MINUTE_MS, { end: pick(ENDS, n) }),
	'the workflow is published': async ({ world, n }) =>
		await world.publish(n % 3 === 0 ? createTrouble(n) : {}),
	'the trigger is renamed': async ({ world, n }) => {
		world.n8n.nodeName = pick(['Trigger', 'Renamed'], n);
		// n8n can be killed before it polls with the new name
		await (n % 3 === 0 ? world.restart() : world.publish());
	},
	'the token or the scheme is replaced': ({ world, n }) => {
		const baseUrl = `${pick(['http', 'https'], n)}://forms.example.com/api/v1`;
		world.n8n.credential = { accessToken: `token-${n}`, baseUrl };
	},
	'another room is chosen': async ({ world, n }) =>
		await world.change({ maxPerPoll: pick([1, 2, 5, 100], n) }),
	'n8n polls once a day': async ({ world, n, leftMs }) => {
		for (let days = n % (leftMs / DAY_MS); days > 1; days--) await world.tick(DAY_MS);
	},
	'time passes': ({ world, n, leftMs }) => world.time.pass(Math.min(pick(PAUSES_MS, n), leftMs)),
};

/** What happens in the end to each form that is there. */
const LAST: Array<(world: World, form: Form) => unknown> = [
	(world, form) => world.submit(form),
	(world, form) => world.submit(form, true),
	(world, form) => {
		const open = form.listShown().find(({ incomplete }) => incomplete);
		if (open !== undefined) world.complete(open);
	},
	(world, form) => [form, form.kept[0]].forEach((subject) => world.oracle.edit(subject)),
	(world) => world.forms.D ?? world.createForm('D'),
];

/** Something happens to a form that is there, most often the first one. */
async function happen(world: World, what: string, n: number, leftMs: number): Promise<void> {
	const forms = Object.values(world.forms).filter(isListed);
	const responses = forms.flatMap(({ kept }) => kept);
	if (responses.length === 0) return world.showAll();
	const open = responses.filter(({ incomplete }) => incomplete);
	const form = pick(forms, n % 7 < 4 ? 0 : n);
	const response = pick(responses, n >> 2);
	const scene = { world, n, leftMs, form, response, open: open[(n >> 2) % open.length] };
	await happenings[what](scene);
}

const OFTEN = ['someone submits', 'a poll', 'a poll fails', 'a response is edited'];

const pageSizes = fc.constantFrom(2, 3, 7, Infinity);

const settings = fc.record({
	subject: fc.constantFrom(...SUBJECTS),
	parameters: fc.record({
		columns: fc.boolean(),
		// the first response of each form is a day old, the others an hour
		emitSince: fc.constantFrom(Infinity, 0, START - 2 * HOUR_MS),
		maxPerPoll: fc.constantFrom(1, 3, 100),
		requestsPerDay: fc.constantFrom(720, 8_640),
	}),
	listing: fc.record({
		order: fc.constantFrom<Order>('oldest', 'newest', 'shuffled'),
		pageSize: pageSizes,
		paging: fc.constantFrom<Paging>('link', 'number'),
	}),
	otherPageSize: pageSizes,
	existing: fc.nat({ max: 9 }),
	// how far n8n's clock is ahead
	aheadMs: fc.constantFrom(0, 0, -7 * MINUTE_MS, 30 * HOUR_MS),
	// how long the trigger has watched before; after a month, it forgets what is gone
	weeks: fc.constantFrom(0, 0, 5, 9),
});

const story = fc.array(
	fc.record({
		what: fc.constantFrom(...Object.keys(happenings), ...OFTEN, ...OFTEN, ...OFTEN),
		n: fc.nat({ max: 999 }),
	}),
	{ maxLength: 40, size: 'max' },
);

const { MODEL_RUNS = 40, MODEL_SEED, MODEL_PATH } = process.env;

/** `npm run soak` tries more stories. MODEL_SEED and MODEL_PATH replay a failure, as its report names them. */
const runs = {
	numRuns: Number(MODEL_RUNS),
	...(MODEL_SEED !== undefined && { seed: Number(MODEL_SEED), path: MODEL_PATH }),
};

it.each(['default', 'durable'] as const)(
	'Every event comes once and in time, whatever happens (%s mode)',
	async (mode) => {
		const property = fc.asyncProperty(settings, story, async (given, happened) => {
			const world = new World(['A', 'B'], { mode, ...given.subject, ...given.parameters });
			world.time.aheadMs = given.aheadMs;
			world.service.otherPageSize = given.otherPageSize;
			for (const form of Object.values(world.forms)) {
				form.listing = given.listing;
				for (let n = 0; n < given.existing; n++)
					form.submit(n % 4 === 3, world.time.actual() - HOUR_MS);
			}
			await world.begin();
			await world.calm();
			for (let week = 0; week < given.weeks; week++) await world.tick(7 * DAY_MS);
			const until = world.time.actual() + STORY_MS;
			for (const { what, n } of happened) await happen(world, what, n, until - world.time.actual());
			world.showAll();
			await world.calm();
			await world.change({ maxPerPoll: 100 });
			// requests that came ahead of their time are waited for
			await world.run(150, { periodMinutes: 5 });
			for (const happenLast of LAST) {
				for (const form of Object.values(world.forms)) happenLast(world, form);
				await expectInTime(world);
			}
			await expectInTime(world, Infinity);
		});
		await fc.assert(property, runs);
	},
);
