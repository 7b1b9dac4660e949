import fc from 'fast-check';
import { describe, it } from 'vitest';
import { allEvents, commands, onPages, settle, watch, type Real } from './commands.mts';
import { Form, type Order } from './form.mts';
import { Model } from './model.mts';
import { N8n, type Parameters } from './n8n.mts';
import { runs } from './runs.mts';

const LONGEST_RUN = 60;

/** A clock that never goes back has fractions of milliseconds. */
const START = Date.UTC(2026, 10, 21, 12) + 0.375;

const parameters = fc.record<Parameters>({
	watch,
	events: fc.subarray(allEvents, { minLength: 1 }),
	condition: fc.constantFrom(undefined, undefined, undefined, '1'),
	needsFields: fc.boolean(),
	emitExisting: fc.boolean(),
	maxPerPoll: fc.constantFrom(1, 3, 100),
	requestsPerDay: fc.constantFrom(8, 48, 720, 8_640, 864_000),
});

/** How many responses there are at first, and how the service lists them. */
type Listing = Partial<Form> & { beginning?: number };

/** How the service gives a listing, as long as nothing changes it. */
const listed = fc.record({
	order: fc.constantFrom<Order>('oldest', 'newest', 'shuffled'),
	pageSize: fc.constantFrom(1, 2, Infinity, Infinity),
	totals: fc.constantFrom<Form['totals']>('true', 'none'),
	pagesBy: fc.constantFrom<Form['pagesBy']>('number', 'cursor'),
});

/** A listing of several pages that say how many responses there are. */
const paged = fc.record({
	order: fc.constantFrom<Order>('oldest', 'newest', 'shuffled'),
	pageSize: fc.constantFrom(1, 2, 3),
	totals: fc.constantFrom<Form['totals']>('true', 'true', 'true', 'old'),
	pagesBy: fc.constantFrom<Form['pagesBy']>(
		'number',
		'number, refused beyond the end',
		'number',
		'cursor',
	),
	filter: fc.constantFrom<Form['filter']>('honest', 'honest', 'ignored'),
	beginning: fc.constantFrom(4, 9, 20),
});

/** Forms with some responses and two that are yet to come, and a workflow that watches some of them. */
function setUp(
	mode: 'default' | 'durable',
	given: Parameters,
	{ beginning = 4, ...paging }: Listing,
): { model: Model; real: Real } {
	const clock = { now: START };
	const forms: Record<string, Form> = {
		A: new Form('A'),
		B: new Form('B'),
		C: new Form('C', { listed: false, createdAt: Infinity }),
		D: new Form('D', { listed: false, createdAt: Infinity }),
	};
	for (const form of [forms.A, forms.B]) {
		Object.assign(form, paging);
		for (let number = 0; number < beginning; number++) form.submit(number % 4 === 3, clock.now);
	}
	const n8n = new N8n(mode, given, forms, clock);
	return { model: new Model(mode, given), real: { n8n, forms, clock } };
}

describe('Every event is delivered exactly once', { timeout: 3_600_000 }, () => {
	const delivers = async (
		given: fc.Arbitrary<Parameters>,
		listing: fc.Arbitrary<Listing>,
		happening: typeof commands,
	) =>
		await fc.assert(
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
			runs(1_000),
		);

	it('whatever happens', async () => {
		await delivers(parameters, listed, commands);
	});

	it('where most looks read a page or two', async () => {
		const oneForm = parameters.map((settings) => ({
			...settings,
			watch: { kind: 'chosen' as const, formIds: ['A'] },
			requestsPerDay: 720,
		}));
		await delivers(oneForm, paged, onPages);
	});
});
