import fc from 'fast-check';
import { it } from 'vitest';
import { commands, settle, type Real } from './commands.mts';
import { Form } from './form.mts';
import { Model } from './model.mts';
import { N8n, type Parameters } from './n8n.mts';
import { runs } from './runs.mts';

const LONGEST_RUN = 60;

const START = Date.UTC(2026, 10, 21, 12);

const parameters = fc.record<Parameters>({
	form: fc.constant('A'),
	events: fc.subarray(['responseCompleted', 'responseStarted'], { minLength: 1 }),
	emitExisting: fc.boolean(),
	maxPerPoll: fc.constantFrom(1, 3, 100),
	requestsPerDay: fc.constantFrom(48, 720, 8_640, 864_000),
});

/** A form with some responses, and a workflow that watches it. */
function setUp(mode: 'default' | 'durable', given: Parameters): { model: Model; real: Real } {
	const clock = { now: START };
	const forms = { A: new Form('A'), B: new Form('B') };
	for (const form of Object.values(forms)) {
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
		runs(3_000),
	);
});
