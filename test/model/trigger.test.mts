import fc from 'fast-check';
import { describe, it } from 'vitest';
import { allEvents, commands, onPages, settle, watch, type Real } from './commands.mts';
import { Form, type Order, type Paging } from './form.mts';
import { N8n, possible, type Parameters } from './n8n.mts';
import { always } from './runs.mts';
import { VirtualTime } from './time.mts';
import { Worlds } from './worlds.mts';

const LONGEST_RUN = 60;

/** A machine's clock has fractions of milliseconds. */
const START = Date.UTC(2026, 10, 21, 12) + 0.375;

const parameters = fc
	.record<Parameters>({
		watch,
		events: fc.subarray(allEvents, { minLength: 1 }),
		condition: fc.constantFrom(undefined, undefined, undefined, '1'),
		needsFields: fc.boolean(),
		downloadFiles: fc.boolean(),
		emitExisting: fc.boolean(),
		maxPerPoll: fc.constantFrom(1, 3, 100),
		requestsPerDay: fc.constantFrom(8, 48, 720, 8_640, 864_000),
	})
	.map(possible);

/** How many responses there are at first, and how the service lists them. */
type Listing = Partial<Form> & { beginning?: number };

/** How the service gives a listing, as long as nothing changes it. */
const listed = fc.record({
	order: fc.constantFrom<Order>('oldest', 'newest', 'shuffled'),
	pageSize: fc.constantFrom(1, 2, Infinity, Infinity),
	hasTotals: fc.boolean(),
	paging: fc.constantFrom<Paging>('link', 'header', 'number', 'cursor link', 'cursor'),
});

/** A listing of several pages, most of which say how many responses there are. */
const paged = fc.record({
	order: fc.constantFrom<Order>('oldest', 'newest', 'shuffled'),
	pageSize: fc.constantFrom(1, 2, 3),
	hasTotals: fc.constantFrom(true, true, true, false),
	paging: fc.constantFrom<Paging>('link', 'link', 'number', 'header', 'cursor link', 'cursor'),
	refusesBeyond: fc.boolean(),
	beginning: fc.constantFrom(4, 9, 20),
});

/** Forms with some responses and two that are yet to come, and a workflow that watches some of them. */
function setUp(
	mode: 'default' | 'durable',
	given: Parameters,
	{ beginning = 4, ...paging }: Listing,
): { model: Worlds; real: Real } {
	const time = new VirtualTime(START);
	const forms: Record<string, Form> = {
		A: new Form('A'),
		B: new Form('B'),
		C: new Form('C', { listed: false, createdAt: Infinity }),
		D: new Form('D', { listed: false, createdAt: Infinity }),
	};
	for (const form of [forms.A, forms.B]) {
		Object.assign(form, paging);
		for (let number = 0; number < beginning; number++) form.submit(number % 4 === 3, time.now());
	}
	const n8n = new N8n(mode, given, forms, time);
	return { model: new Worlds(mode, given), real: { n8n, forms, time } };
}

describe('Every event is delivered exactly once', { timeout: 3_600_000 }, () => {
	const delivers = async (
		given: fc.Arbitrary<Parameters>,
		listing: fc.Arbitrary<Listing>,
		happening: typeof commands,
	) =>
		await always(
			fc.asyncProperty(
				fc.constantFrom('default' as const, 'durable' as const),
				given,
				listing,
				fc.commands(happening, {
					maxCommands: LONGEST_RUN,
					size: 'max',
					replayPath: process.env.MODEL_REPLAY,
				}),
				async (mode, settings, paging, sequence) => {
					const start = setUp(mode, settings, paging);
					await fc.asyncModelRun(() => start, sequence);
					await settle(start.model, start.real);
				},
			),
			100,
		);

	it('whatever happens', async () => {
		await delivers(parameters, listed, commands);
	});

	it('where most polls read a page or two', async () => {
		const oneForm = parameters.map((settings) =>
			possible({
				...settings,
				watch: { kind: 'chosen' as const, formIds: ['A'] },
				requestsPerDay: 720,
			}),
		);
		await delivers(oneForm, paged, onPages);
	});
});
