import fc from 'fast-check';
import { uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();

const NOTE = '0b9e2d7c-6a51-4f0e-9c3d-2f1a7e5b8d40';

type FieldGiven = Parameters<typeof service.store.addForm>[0]['fields'];

/** A form whose list of responses is the given one, whatever is added to it. */
function formListing(fields: FieldGiven, listed: (uuids: string[]) => unknown[]) {
	const { id } = service.store.addForm({ name: 'Orders', fields });
	const uuids = service.store.fields(id).map(({ uuid }) => uuid);
	const data = listed(uuids).map(
		(responses, index) => ({ uuid: `r${index}`, responses }) as IDataObject,
	);
	list(data);
	const run = async (rows: IDataObject[], skipIfExists: unknown, continueOnFail = false) => {
		const parameters = {
			resource: 'response',
			operation: 'create',
			formId: locator(id),
			inputMode: 'json',
			answersJson: '={{ $json }}',
			options: { skipIfExists },
		};
		return await n8n.runNode(parameters as never, itemsOf(...rows), { continueOnFail });
	};
	const create = async (json: IDataObject, skipIfExists: unknown = [uuids[0]]) =>
		await run([json], skipIfExists);
	return { uuids, create, run };
}

/** From now on, the service lists these responses. */
function list(data: IDataObject[]) {
	service.faults.clear();
	service.faults.set({
		fault: answer(200, 'application/json', JSON.stringify({ success: true, data })),
		match: { path: /^\/responses\// },
	});
}

const posts = () => service.requests.filter(({ method }) => method === 'POST');
const statusesOf = (items: Array<{ json: IDataObject }>) => items.map(({ json }) => json.status);

describe('Skip Duplicates By finds a response', () => {
	const choices = {
		type: 'multiple_choice' as const,
		options: ['Forms', 'Reports', 'PDF, printed'],
	};

	const cv = 'https://files.example/cv.pdf';

	it.each<[string, object, unknown, unknown]>([
		['text in another normal form', {}, 'José', 'José'.normalize('NFD')],
		['a number that is listed as text', {}, 1001, '1001'],
		['a number in another spelling', { type: 'number' }, 7, '7.0'],
		['a time', { type: 'datetime' }, '2027-01-04T09:00:00Z', '2027-01-04T10:00:00+01:00'],
		['true, which is sent as 1', { type: 'boolean' }, true, 'true'],
		['a choice with its label', choices, 'Forms', { label: 'Forms', value: 'Forms' }],
		['choices in another order', choices, ['Forms', 'Reports'], ['Reports', 'Forms']],
		['choices as text', choices, ['Forms', 'PDF, printed'], 'PDF, printed, Forms'],
		['a file with its name', { type: 'file_upload' }, cv, [`cv.pdf|${cv}`]],
	])('by %s', async (_, field, given, value) => {
		const { uuids, create } = formListing([{ label: 'F', ...field }], () => [
			[{ key: 'F', value }],
		]);
		const { items, error } = await create({ [uuids[0]]: given as never });
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => [json.status, json.uuid])).toEqual([['skipped', 'r0']]);
		expect(posts()).toEqual([]);
	});

	it('by a text with other line ends', async () => {
		const { uuids, create } = formListing([{ label: 'F' }], () => [
			[{ key: 'F', value: 'one\r\ntwo' }],
		]);
		const { items } = await create({ [uuids[0]]: 'one\ntwo' });
		expect(statusesOf(items)).toEqual(['skipped']);
	});

	it('not by the text "true" for the text "1"', async () => {
		const { uuids, create } = formListing([{ label: 'F' }], () => [[{ key: 'F', value: 'true' }]]);
		expect(statusesOf((await create({ [uuids[0]]: '1' })).items)).toEqual(['created']);
	});

	it('only if the response is complete, also where the service ignores the filter', async () => {
		const { uuids, create } = formListing([{ label: 'Email' }], () => []);
		const responses = [{ key: 'Email', value: 'a' }];
		list([{ uuid: 'r0', is_incomplete: 1, responses }]);
		expect(statusesOf((await create({ [uuids[0]]: 'a' })).items)).toEqual(['created']);
	});
});

describe('Skip Duplicates By stops before anything is sent', () => {
	const twice = ['Comment', 'Comment'];
	const unsure = (label: string) =>
		`'Skip Duplicates By' can't compare "${label}" with response r0`;
	const single = (key: string, value: unknown) => [[{ key, value }]];

	const unread = "'Skip Duplicates By' can't read the answers of response r0";
	const none =
		'\'Skip Duplicates By\' found no answer to "Email" in any of the 2 responses of the form';

	it.each<[string, string[], number, unknown[], string]>([
		['an answer to either of two fields', twice, 0, single('Comment', 'x'), unsure('Comment')],
		['an answer to one of two fields', twice, 1, single('Comment', 'x'), unsure('Comment (2)')],
		['an unknown kind', ['Email'], 0, single('Email', { a: { b: 'a' } }), unsure('Email')],
		['answers that could not be read', ['Email'], 0, [42], unread],
		['a renamed field', ['Email'], 0, [...single('E-mail', 'a'), ...single('E-mail', 'b')], none],
	])('for %s', async (_, labels, index, listed, message) => {
		const { uuids, create } = formListing(
			labels.map((label) => ({ label })),
			() => listed,
		);
		const { error } = await create({ [uuids[index]]: 'x' }, [uuids[index]]);
		expect(error?.message).toBe(message);
		expect(posts()).toEqual([]);
	});

	it.each<[string, object, unknown, unknown]>([
		['a date in the order of Germany', { type: 'date' }, '2026-01-31', '31.01.2026'],
		['a date in the order of the US', { type: 'date' }, '2026-01-31', '01/31/2026'],
		['a date in words', { type: 'date' }, '2026-01-31', 'January 31, 2026'],
		['a number with commas', { type: 'number' }, 1234, '1,234'],
		['a number with blanks', { type: 'number' }, 1234, '1 234'],
		['a number with a currency', { type: 'number' }, 12, '12 €'],
		['a yes in another language', { type: 'boolean' }, true, 'Ja'],
		['a number that JSON has rounded', {}, '20261122000000017', 20261122000000017],
	])('for %s, which cannot be compared with certainty', async (_, field, given, listed) => {
		const { uuids, create } = formListing([{ label: 'F', ...field }], () => single('F', listed));
		const { error } = await create({ [uuids[0]]: given as never });
		expect(error?.message).toBe(unsure('F'));
		expect(error?.description).toMatch(/^Nothing was sent\.\n/);
		expect(posts()).toEqual([]);
	});

	it('where one response may have the answer under an earlier label', async () => {
		const { uuids, create } = formListing([{ label: 'Email' }, { label: 'Note' }], () => [
			[{ key: 'Email', value: 'a' }],
			[{ key: 'E-mail', value: 'b' }],
		]);
		const statusOf = async (text: string) => (await create({ [uuids[0]]: text })).error?.message;
		expect(await statusOf('b')).toBe(`'Skip Duplicates By' can't compare "Email" with response r1`);
		expect(posts()).toEqual([]);
		expect(await statusOf('c')).toBeUndefined();
	});

	it('not for answers of deleted fields, which are listed with their UUIDs', async () => {
		const { uuids, create } = formListing([{ label: 'Email' }], ([uuid]) => [
			[
				{ uuid, label: 'Email', value: 'b' },
				{ uuid: NOTE, label: 'Email', value: 'a' },
			],
			[{ uuid: NOTE, label: 'Email', value: 'a' }],
		]);
		expect(statusesOf((await create({ [uuids[0]]: 'a' })).items)).toEqual(['created']);
	});

	it('of no item of the run, if one of them cannot be compared', async () => {
		const { uuids, run } = formListing([{ label: 'Email' }], () => [
			[{ key: 'Email', value: 'a' }],
			[{ key: 'E-mail', value: 'b' }],
		]);
		const { error } = await run([{ [uuids[0]]: 'c' }, { [uuids[0]]: 'b' }], uuids);
		expect(error).toMatchObject({ context: { itemIndex: 1 } });
		expect(posts()).toEqual([]);
	});
});

describe('Skip Duplicates By, whatever shape the answers of a listing have', () => {
	const texts = fc.constantFrom('x', 'y');
	const worlds = fc
		.record({
			labels: fc.array(fc.constantFrom('A', 'B'), { minLength: 1, maxLength: 4 }),
			shape: fc.constantFrom('pairs', 'list', 'map'),
			omitsUnanswered: fc.boolean(),
			renames: fc.boolean(),
		})
		.chain((world) => {
			const length = { minLength: world.labels.length, maxLength: world.labels.length };
			return fc.record({
				world: fc.constant(world),
				stored: fc.array(fc.array(fc.option(texts), length), { maxLength: 4 }),
				given: fc.array(fc.array(fc.constantFrom('x', 'y', 'z'), length), {
					minLength: 1,
					maxLength: 5,
				}),
				identity: fc.subarray([...world.labels.keys()], { minLength: 1 }),
			});
		});

	it('never adds what exists and never skips what does not, and stops if it cannot tell', async () => {
		await fc.assert(
			fc.asyncProperty(worlds, async ({ world, stored, given, identity }) => {
				const { labels, shape, omitsUnanswered, renames } = world;
				service.requests.length = 0;
				const { uuids, run } = formListing(
					labels.map((label) => ({ label })),
					(ids) =>
						stored.map((answers) => {
							const entries = answers
								.map((value, index) => ({
									uuid: ids[index],
									label: renames && index === 0 ? 'Earlier' : labels[index],
									value,
								}))
								.filter(({ value }) => value !== null || !omitsUnanswered);
							if (shape === 'list') return entries;
							return shape === 'pairs'
								? entries.map(({ label, value }) => ({ key: label, value }))
								: Object.fromEntries(entries.map(({ label, value }) => [label, value]));
						}),
				);
				const keyOf = (answers: ReadonlyArray<string | null>) =>
					identity.map((index) => answers[index]).join();
				// equal items of a run are added once, whatever exists
				const rows = uniqBy(given, keyOf);
				const { items } = await run(
					rows.map((row) => Object.fromEntries(row.map((text, index) => [uuids[index], text]))),
					identity.map((index) => uuids[index]),
					true,
				);
				const added = items.map(({ json }, index) => {
					const exists = stored.some((answers) => keyOf(answers) === keyOf(rows[index]));
					if (json.error === undefined) {
						expect(json.status).toBe(exists ? 'skipped' : 'created');
					} else {
						expect(json.error).toMatch(/^'Skip Duplicates By' (can't compare|found no answer)/);
						expect(shape !== 'list' || omitsUnanswered).toBe(true);
					}
					return json.status === 'created';
				});
				expect(items).toHaveLength(rows.length);
				expect(posts()).toHaveLength(added.filter(Boolean).length);
			}),
			{ numRuns: 40 },
		);
	});
});

describe('The fields of Skip Duplicates By', () => {
	it.each([
		[''],
		[' , '],
		[['']],
		[[null]],
		['={{ null }}'],
		['={{ $json.none }}'],
		[[{}]],
		[true],
	])('cannot be %j', async (given) => {
		const { uuids, create } = formListing([{ label: 'Email' }], () => []);
		const { error } = await create({ [uuids[0]]: 'a' }, given);
		expect(error?.message).toMatch(/^'Skip Duplicates By' /);
		expect(service.requests).toEqual([]);
	});

	it('can be none, which adds every item', async () => {
		const { uuids, create } = formListing([{ label: 'Email' }], () => [
			[{ key: 'Email', value: 'a' }],
		]);
		expect((await create({ [uuids[0]]: 'a' }, [])).error).toBeUndefined();
		expect(posts()).toHaveLength(1);
	});

	it.each([['Email'], [' email '], ['E-Mail: first, second']])(
		'can be given by %j',
		async (name) => {
			const fields = [{ label: 'Email', customKey: 'email' }, { label: 'E-Mail: first, second' }];
			const { uuids, create } = formListing(fields, () => [
				[
					{ key: 'Email', value: 'a' },
					{ key: 'E-Mail: first, second', value: 'a' },
				],
			]);
			const { items, error } = await create({ [uuids[0]]: 'a', [uuids[1]]: 'a' }, [name]);
			expect(error).toBeUndefined();
			expect(statusesOf(items)).toEqual(['skipped']);
		},
	);

	it('are named by their labels where they have no answer', async () => {
		const { uuids, create } = formListing([{ label: 'Email' }, { label: 'Note' }], () => []);
		const { error } = await create({ [uuids[1]]: 'x' });
		expect(error?.message).toBe(
			'"Email" has no answer. \'Skip Duplicates By\' compares this field, so it needs an answer',
		);
		expect(posts()).toEqual([]);
	});

	it('must be fields of the form', async () => {
		const { uuids, create } = formListing([{ label: 'Email' }, { label: 'Note' }], () => []);
		const { error } = await create({ [uuids[0]]: 'x' }, ['Emial']);
		expect(error?.message).toBe(
			'\'Skip Duplicates By\' names "Emial", which is not a field of the form',
		);
		expect(error?.description).toContain('Email, Note');
		expect(posts()).toEqual([]);
	});
});
