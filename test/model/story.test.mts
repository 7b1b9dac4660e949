/**
 * Random stories: what people do to forms, what the service and n8n do wrong, and in between polls. The
 * oracle judges each poll; at the end all is well, and nothing that was promised may be missing. A story
 * that fails is printed as the list of what happened.
 */
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { Form, spellings, type Order, type Paging, type Response } from './form.mts';
import { EVENTS, type End, type Parameters, type Watch } from './n8n.mts';
import { always } from './runs.mts';
import { faults, type FaultName } from './service.mts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.mts';
import { failAll, START, World } from './world.mts';

const pick = <T,>(all: readonly T[], n: number): T | undefined => all[n % all.length];

const ENDS: End[] = ['killedBefore', 'killedAfterState', 'killedAfterExecution', 'discarded'];
const FAULTS = Object.keys(faults) as FaultName[];
const GAPS_MS = [10_000, MINUTE_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS];
const FEW_FAULTS = ['notFound', 'forbidden', 'serverError'] as const;
const WATCHES: Watch[] = [
	{ kind: 'chosen', formIds: ['A'] },
	{ kind: 'chosen', formIds: ['A', 'B'] },
	// a form that was deleted long ago
	{ kind: 'chosen', formIds: ['B', 'X', 'A'] },
	{ kind: 'all', except: [] },
	{ kind: 'all', except: ['A'] },
	{ kind: 'all', except: ['B', 'C'] },
];

/** A form that is there, most often the first one. */
const formOf = (world: World, n: number) =>
	pick(
		Object.values(world.forms).filter(({ listed }) => listed),
		n % 7 < 4 ? 0 : n,
	);

const onForm = (happen: (form: Form, world: World, n: number) => void) => {
	return (world: World, n: number) => {
		const form = formOf(world, n);
		if (form !== undefined) happen(form, world, n);
	};
};

const onResponse = (
	isMeant: (response: Response) => boolean,
	happen: (response: Response, world: World) => void,
) =>
	onForm((form, world, n) => {
		const response = pick(form.kept.filter(isMeant), n >> 2);
		if (response !== undefined) happen(response, world);
	});

const setDeleted = (deleted: boolean) =>
	onResponse(
		(response) => response.deleted !== deleted,
		(response, world) =>
			world.setShown(response.form, () => {
				response.deleted = deleted;
			}),
	);

/** With Form Created, all forms are watched. */
function reconcile({ watch, events }: Pick<Parameters, 'watch' | 'events'>): typeof events {
	const ofResponses = events.filter((event) => event !== 'formCreated');
	if (watch.kind === 'all') return events;
	return ofResponses.length > 0 ? ofResponses : ['responseCompleted'];
}

const change = async (world: World, changed: Partial<Parameters>) => {
	const next = { ...world.n8n.parameters, ...changed };
	// the workflow cannot be published if none of its forms is there
	if (!world.canBegin(next.watch)) return;
	await world.change({ ...changed, events: reconcile(next) });
};

/** What can happen; the number says to which form, with which fault and so on. */
const happenings: Record<string, (world: World, n: number) => unknown> = {
	'someone submits': onForm((form, world) => world.submit(form)),
	'someone begins a response': onForm((form, world) => world.submit(form, true)),
	'many submit in a second': onForm((form, world, n) => {
		for (let count = n % 13; count > 0; count--) world.submit(form, count % 4 === 3);
	}),
	'someone completes a response': onResponse(
		({ incomplete }) => incomplete,
		(response, world) => world.complete(response),
	),
	'a response is reopened': onResponse(
		({ incomplete }) => !incomplete,
		(response, world) => world.reopen(response),
	),
	'a response is edited': onResponse(
		() => true,
		(response) => (response.edits += 1),
	),
	'a response is deleted': setDeleted(true),
	'a response is restored': setDeleted(false),
	'a form is renamed': onForm((form, _world, n) => (form.name = `Form ${n} (closed)`)),
	'a listing is empty for a while': onForm((form, world) =>
		world.setShown(form, () => (form.hidden = !form.hidden)),
	),
	'a form is deleted': onForm((form, world) => world.setListed(form, false)),
	'deleted forms are back': (world) => {
		const gone = Object.values(world.forms).filter(({ listed }) => !listed);
		for (const form of gone) world.setListed(form, true);
	},
	'a form is created': (world) => (world.forms.C === undefined ? world.createForm('C') : undefined),
	'an older form is shared': async (world) => {
		if (world.forms.D !== undefined) return;
		const form = new Form('D', START - 90 * DAY_MS);
		for (const incomplete of [false, true]) form.submit(incomplete, form.createdAt);
		world.shareForm(form);
		await world.calm();
	},
	'a response comes between two pages': onForm((form, world) => {
		form.betweenPages = () => void world.submit(form);
	}),
	'a response is deleted between two pages': onForm((form, world) => {
		form.betweenPages = () =>
			world.setShown(form, () => {
				for (const response of form.shown().slice(0, 1)) response.deleted = true;
			});
	}),
	'a poll': async (world, n) => await world.tick(pick(GAPS_MS, n)!),
	'a poll fails': async (world, n) =>
		await world.tick(pick(GAPS_MS, n)!, failAll(faults[pick(FAULTS, n >> 3)!])),
	'one form fails': async (world, n) => {
		const fault = faults[pick(FEW_FAULTS, n)!];
		await world.tick(pick(GAPS_MS, n)!, failAll(fault, pick(['A', 'B', ''], n >> 2)));
	},
	'a poll is slow': async (world, n) =>
		await world.tick(10 * MINUTE_MS, { latencyMs: pick([200, 5_000, 12_000, 25_000], n) }),
	'a response has no identity': async (world) =>
		await world.tick(10 * MINUTE_MS, { isUnidentified: true }),
	'no fields can be read': async (world, n) =>
		await world.tick(pick([MINUTE_MS, 2 * HOUR_MS], n)!, {
			failWith: ({ kind }) => (kind === 'fields' ? faults.serverError : undefined),
		}),
	'a file cannot be read': async (world, n) => {
		let files = 0;
		const fault = faults[pick(['serverError', 'noReply', 'notFound'] as const, n)!];
		await world.tick(10 * MINUTE_MS, {
			failWith: ({ kind }) => (kind === 'file' && files++ === n % 5 ? fault : undefined),
		});
	},
	'two polls overlap': async (world) => {
		world.time.pass(10 * MINUTE_MS);
		if (!world.n8n.active) return;
		const [one, other] = await world.n8n.overlap();
		world.note(one);
		world.note({ ...other, sent: [] });
	},
	'a poll gets an old copy of the state': async (world) => {
		world.time.pass(10 * MINUTE_MS);
		if (!world.n8n.active || world.n8n.mode !== 'durable') return;
		for (const poll of await world.n8n.tickWithOldCopy()) world.note(poll);
	},
	'n8n restarts': async (world) => await world.restart(),
	'n8n does not keep all of a poll': async (world, n) =>
		await world.tick(10 * MINUTE_MS, { end: pick(ENDS, n) }),
	'n8n is killed during a poll': async (world, n) =>
		await world.tick(10 * MINUTE_MS, { latencyMs: 2_000, killedAfterMs: (n % 9) * 1_000 }),
	'the workflow is published': async (world) => await world.publish(),
	'it is published while the service fails': async (world, n) =>
		await world.publish(failAll(faults[pick(FAULTS, n)!])),
	'the token is replaced': (world, n) => (world.n8n.accessToken = `token-${n}`),
	'the node is renamed': async (world) => {
		if (world.canBegin()) await world.rename();
	},
	'other events are chosen': async (world, n) => {
		const events = EVENTS.filter((_, index) => ((n % 15) + 1) & (1 << index));
		await change(world, { events });
	},
	'other forms are chosen': async (world, n) => await change(world, { watch: pick(WATCHES, n)! }),
	'another filter is chosen': async (world, n) =>
		await change(world, { condition: pick(['1', '2', undefined], n) }),
	'another room is chosen': async (world, n) => {
		world.n8n.parameters = { ...world.n8n.parameters, maxPerPoll: pick([1, 2, 5, 100], n)! };
		await world.publish();
	},
	'hours pass': (world, n) => world.time.pass(pick([1, 5, 23, 24, 25], n)! * HOUR_MS),
	'days pass': (world, n) => world.time.pass(pick([1, 28, 31, 45], n)! * DAY_MS),
};

const OFTEN = ['someone submits', 'a poll', 'a poll', 'a poll fails', 'a form is created'];

const parameters = fc.record({
	watch: fc.constantFrom(...WATCHES),
	events: fc.subarray([...EVENTS], { minLength: 1 }),
	condition: fc.constantFrom(undefined, undefined, undefined, '1'),
	needsFields: fc.boolean(),
	downloadFiles: fc.boolean(),
	emitExisting: fc.boolean(),
	maxPerPoll: fc.constantFrom(1, 3, 100),
	requestsPerDay: fc.constantFrom(720, 8_640),
});

/** How the service lists its forms. */
const listing = fc.record({
	order: fc.constantFrom<Order>('oldest', 'newest', 'shuffled'),
	pageSize: fc.constantFrom(1, 2, 3, Infinity),
	paging: fc.constantFrom<Paging>('link', 'header', 'number', 'cursor'),
	spelling: fc.constantFrom(...(Object.keys(spellings) as Array<keyof typeof spellings>)),
	hasTotals: fc.boolean(),
	refusesBeyond: fc.boolean(),
	hasFiles: fc.boolean(),
});

const story = fc.array(
	fc.record({
		what: fc.constantFrom(...Object.keys(happenings), ...OFTEN, ...OFTEN),
		n: fc.nat({ max: 999 }),
	}),
	{ maxLength: 40, size: 'max' },
);

describe('Every event is delivered exactly once', () => {
	it.each(['default', 'durable'] as const)('whatever happens in the %s mode', async (mode) => {
		await always(
			fc.asyncProperty(
				parameters,
				listing,
				fc.nat({ max: 9 }),
				story,
				async (given, how, there, happened) => {
					const world = new World(['A', 'B'], { ...given, mode, events: reconcile(given) });
					world.n8n.service.otherPageSize = how.pageSize;
					for (const form of Object.values(world.forms)) {
						Object.assign(form, how);
						for (let n = 0; n < there; n++) form.submit(n % 4 === 3, world.time.actual() - HOUR_MS);
					}
					await world.begin();
					await world.calm();
					for (const { what, n } of happened) await happenings[what](world, n);
					for (const form of Object.values(world.forms)) {
						if (!form.listed) world.setListed(form, true);
						world.setShown(form, () => (form.hidden = false));
					}
					await world.calm();
					world.time.pass(25 * HOUR_MS);
					await world.calm();
				},
			),
			40,
		);
	});
});
