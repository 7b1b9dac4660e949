import fc from 'fast-check';
import { it } from 'vitest';
import { allEvents, commands, settle, watch, type Real } from './commands.mts';
import { Form } from './form.mts';
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

/** Forms with some responses and two that are yet to come, and a workflow that watches some of them. */
function setUp(mode: 'default' | 'durable', given: Parameters): { model: Model; real: Real } {
	const clock = { now: START };
	const forms: Record<string, Form> = {
		A: new Form('A'),
		B: new Form('B'),
		C: new Form('C', { listed: false, createdAt: Infinity }),
		D: new Form('D', { listed: false, createdAt: Infinity }),
	};
	for (const form of [forms.A, forms.B]) {
		for (let number = 0; number < 4; number++) form.submit(number === 3, clock.now);
	}
	const n8n = new N8n(mode, given, forms, clock);
	return { model: new Model(mode, given), real: { n8n, forms, clock } };
}

it('delivers every event exactly once, whatever happens', { timeout: 3_600_000 }, async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom('default' as const, 'durable' as const),
			parameters,
			fc.commands(commands, {
				maxCommands: LONGEST_RUN,
				size: 'max',
				replayPath: process.env.MODEL_REPLAY,
			}),
			async (mode, given, sequence) => {
				const start = setUp(mode, given);
				await fc.asyncModelRun(() => start, sequence);
				await settle(start.model, start.real);
			},
		),
		runs(1_000),
	);
});
