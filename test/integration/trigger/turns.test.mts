import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Form } from '../../model/form.mts';
import { N8n } from '../../model/n8n.mts';
import { VirtualTime } from '../../model/time.mts';

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 10, 21);

/** Which forms get a response before each poll, as numbers. */
type Changes = readonly number[][];

/** Polls of a trigger on so many forms, each of whose replies takes so long; the forms read, poll by poll. */
async function polls(forms: number, latencyMs: number, changes: Changes): Promise<string[][]> {
	const time = new VirtualTime(START);
	const ids = Array.from({ length: forms }, (_, index) => `form${index}`);
	const watched = Object.fromEntries(ids.map((id) => [id, new Form(id)]));
	const parameters = {
		watch: { kind: 'all', except: [] } as const,
		events: ['responseCompleted'] as const,
		condition: undefined,
		needsFields: false,
		downloadFiles: false,
		emitExisting: false,
		maxPerPoll: 100,
		requestsPerDay: 864_000,
	};
	const n8n = new N8n('durable', parameters, watched, time);
	await n8n.activate('activate', { latencyMs });
	const read: string[][] = [];
	for (const changed of changes) {
		time.pass(MINUTE_MS);
		for (const at of changed) watched[ids[at % forms]].submit(false, time.now());
		const { sent } = await n8n.tick({ latencyMs });
		read.push(sent.flatMap((one) => (one.of === 'responses' ? [one.form] : [])));
	}
	return read;
}

describe('Forms are polled in turn:', () => {
	it('no form is read twice before every other one has been read once', async () => {
		const changes = fc.array(fc.array(fc.nat({ max: 40 }), { maxLength: 5 }), {
			minLength: 8,
			maxLength: 30,
		});
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 2, max: 40 }),
				fc.constantFrom(200, 1_800, 9_000),
				changes,
				async (forms, latencyMs, all) => {
					const order = (await polls(forms, latencyMs, all)).flat();
					for (let from = 0; from < order.length; from++) {
						const again = order.indexOf(order[from], from + 1);
						const meanwhile = order.slice(from, again === -1 ? undefined : again);
						if (again !== -1) expect(new Set(meanwhile).size).toBe(forms);
					}
				},
			),
			{ numRuns: 30 },
		);
	});

	it('40 forms, of which 12 fit into a poll and none changes, are all read within four polls', async () => {
		const read = await polls(
			40,
			1_800,
			Array.from({ length: 4 }, () => []),
		);
		expect(new Set(read.flat()).size).toBe(40);
	});
});
