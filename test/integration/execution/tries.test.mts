import fc from 'fast-check';
import { mapValues, sortBy, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { faultTable, slow, status, success, type Fault } from '../../service/index.mts';
import { itemsOf, placesOf, time } from '../harness.mts';
import { formOfItem } from '../resources/runs.mts';
import { createWorld } from '../world.mts';

/** What the items of a run have done, over its batches and over n8n's tries. */

/** What the requests to a form meet that add a response. */
const faults = {
	fine: slow(0),
	slow: slow(400),
	late: slow(60_000),
	lost: faultTable.dropAfter,
	refused: status(422, 'No.'),
	unauthorized: status(401, 'No.'),
} satisfies Record<string, Fault>;
type Kind = keyof typeof faults;
const isTaken = (kind: Kind) => kind === 'fine' || kind === 'slow';
const mayBeTaken = (kind: Kind) => kind === 'late' || kind === 'lost';

/** An item for the form of its kind; its answers are its order and its place among the rows. */
const anyRow = fc.record({
	kind: fc.constantFrom('fine', ...(Object.keys(faults) as Kind[])),
	order: fc.constantFrom('A', 'B'),
	broken: fc.constantFrom(...Array<''>(9).fill(''), 'value', 'expression'),
});

const anyOptions = fc.record({
	batchSize: fc.nat(3),
	batchInterval: fc.integer({ min: 1, max: 6 }),
	maxTries: fc.integer({ min: 1, max: 3 }),
	// how many requests to a form meet its fault
	met: fc.constantFrom(1, 99),
	// how long the service takes to list the fields of a form
	checkMs: fc.constantFrom(0, 400),
	skips: fc.boolean(),
	continueOnFail: fc.boolean(),
});

/** Adds a response for each row, and checks which rows were sent. */
const sendingOnce = fc.asyncProperty(
	fc.array(anyRow, { minLength: 1, maxLength: 7 }),
	anyOptions,
	async (rows, options) => {
		const { batchSize, batchInterval, maxTries, met, skips, continueOnFail } = options;
		const { service, n8n } = await createWorld({ perMinute: 10_000 });
		service.faults.set({ fault: success([]), match: { path: /^\/responses/ } });
		service.faults.set({ fault: slow(options.checkMs), match: { path: /fields$/ } });
		const kinds: Kind[] = [];
		const formIds = mapValues(faults, (_, name) => {
			const fields = ['Order', 'Place'].map((label) => ({ uuid: label, label }));
			const { id } = service.store.addForm({ name, fields });
			let left = met;
			const fault = () => {
				return faults[kinds[kinds.push(left-- > 0 ? (name as Kind) : 'fine') - 1]];
			};
			service.faults.set({ fault, match: { method: 'POST', path: new RegExp(id) } });
			return id;
		});
		const input = rows.map(({ kind, order: Order, broken }, Place): IDataObject => {
			const forms = { value: 'a/b', expression: undefined, '': formIds[kind] };
			return { form: forms[broken], answers: { Order, Place } };
		});
		const given = {
			...{ resource: 'response', operation: 'create', formId: formOfItem(), inputMode: 'json' },
			answersJson: '={{ $json.answers }}',
			options: skips ? { skipDuplicatesBy: ['Order'] } : {},
			requestOptions: batchSize > 0 ? { batching: { batch: { batchSize, batchInterval } } } : {},
		};
		const onError = continueOnFail ? 'continueRegularOutput' : 'stopWorkflow';
		const node = { onError, retryOnFail: maxTries > 1, maxTries, waitBetweenTries: 1 } as const;
		const { error, items } = await n8n.runNode(given, itemsOf(...input), node);
		// n8n can leave its last try behind
		await time.sleep(300_000);
		const posts = service.requests.filter(({ method }) => method === 'POST');
		const sent = posts.map(({ body }, index) => {
			const { data } = body as { data: { Place: number } };
			return { kind: kinds[index], place: Number(data.Place) };
		});
		if (maxTries === 1) expect(sent).toEqual(sortBy(sent, 'place'));
		const acted = sent.filter(({ kind }) => isTaken(kind) || mayBeTaken(kind));
		const identify = ({ place }: { place: number }) =>
			skips ? `${rows[place].kind} ${rows[place].order}` : place;
		expect(uniqBy(acted, identify)).toEqual(acted);
		const end = rows.findIndex(({ broken }) => broken === 'expression');
		if (error === undefined) {
			const taken = sent.flatMap(({ kind, place }) => (isTaken(kind) ? place : []));
			const created = items.filter(({ json }) => json.status === 'created');
			expect(placesOf(created)).toEqual(taken.toSorted());
			expect(continueOnFail || items.length === rows.length).toBe(true);
		} else if (end >= 0) {
			const whole = batchSize > 0 ? end - (end % batchSize) : 0;
			expect(sent.filter(({ place }) => place >= whole)).toEqual([]);
		}
	},
);

it('A run never sends an item again that the service may have taken', async () => {
	// n8n starts the next try while the first item is being sent
	const sending = { kind: 'slow', order: 'A', broken: '' } as const;
	const rows = [sending, { ...sending, broken: 'expression' } as const];
	const batches = { batchSize: 1, batchInterval: 6, maxTries: 3 };
	const others = { met: 99, checkMs: 400, skips: false, continueOnFail: false } as const;
	const options = { ...batches, ...others };
	// the first run is slower, because n8n's code is loaded
	const examples = Array<[typeof rows, typeof options]>(3).fill([rows, options]);
	await fc.assert(sendingOnce, { numRuns: 50, examples });
});
