import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { running } from './running.mts';

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
	const create = async (json: IDataObject, skipIfExists: unknown = [uuids[0]]) => {
		const options = { skipIfExists } as IDataObject;
		return await n8n.runNode(
			{
				resource: 'response',
				operation: 'create',
				formId: locator(id),
				inputMode: 'json',
				answersJson: '={{ $json }}',
				options: options as never,
			},
			itemsOf(json),
		);
	};
	return { id, uuids, create };
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

describe('Skip If Exists finds a response', () => {
	const choices = {
		type: 'multiple_choice' as const,
		options: ['Forms', 'Reports', 'PDF, printed'],
	};

	it.each<[string, NonNullable<FieldGiven>[number], unknown, (uuid: string) => unknown]>([
		[
			'by the UUID in capital letters',
			{ label: 'Email' },
			'a',
			(uuid) => [{ uuid: uuid.toUpperCase(), label: 'E-mail', value: 'a' }],
		],
		['by its custom key', { label: 'Email', customKey: 'email' }, 'a', () => ({ email: 'a' })],
		[
			'by a label in another normal form',
			{ label: 'Café' },
			'a',
			() => [{ key: 'Café'.normalize('NFD'), value: 'a' }],
		],
		[
			'by a label with a blank at its end',
			{ label: 'Email ' },
			'a',
			() => [{ key: 'Email', value: 'a' }],
		],
		[
			'by text in another normal form',
			{ label: 'Name' },
			'José',
			() => [{ key: 'Name', value: 'José'.normalize('NFD') }],
		],
		[
			'by a choice that is listed with its label',
			{ label: 'Size', type: 'dropdown', options: ['Small', 'Large'] },
			'Small',
			() => [{ key: 'Size', value: { label: 'Small', value: 'Small' } }],
		],
		[
			'by choices in another order',
			{ label: 'Uses', ...choices },
			['Forms', 'PDF, printed'],
			() => [{ key: 'Uses', value: ['PDF, printed', 'Forms'] }],
		],
		[
			'by choices that are listed as text',
			{ label: 'Uses', ...choices },
			['Forms', 'PDF, printed'],
			() => [{ key: 'Uses', value: 'PDF, printed, Forms' }],
		],
		[
			'by true, which is sent as 1',
			{ label: 'News', type: 'boolean' as 'text' },
			true,
			() => [{ key: 'News', value: 'true' }],
		],
		[
			'by a number that is written in another way',
			{ label: 'Order', type: 'number' },
			7,
			() => [{ key: 'Order', value: '7.0' }],
		],
		[
			'by a time that is written in another way',
			{ label: 'At', type: 'datetime' as 'text' },
			'2027-01-04T09:00:00Z',
			() => [{ key: 'At', value: '2027-01-04 09:00:00' }],
		],
		[
			'by a file, which is listed with its name',
			{ label: 'CV', type: 'file_upload' },
			'https://files.example/cv.pdf',
			() => [{ key: 'CV', value: ['cv.pdf|https://files.example/cv.pdf'] }],
		],
	])('%s', async (_, field, given, listed) => {
		const { uuids, create } = formListing([field], ([uuid]) => [listed(uuid)]);
		const { items, error } = await create({ [uuids[0]]: given as never });
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => [json.status, json.uuid])).toEqual([['skipped', 'r0']]);
		expect(posts()).toEqual([]);
	});

	it('only if the response is complete, also where the service ignores the filter', async () => {
		const { uuids, create } = formListing([{ label: 'Email' }], () => []);
		const responses = [{ key: 'Email', value: 'a' }];
		list([{ uuid: 'r0', is_incomplete: 1, responses }]);
		expect(statusesOf((await create({ [uuids[0]]: 'a' })).items)).toEqual(['created']);
	});

	it('by the right one of two fields with one label, if each response lists both', async () => {
		const both = [{ label: 'Comment' }, { label: 'Comment' }];
		const { uuids, create } = formListing(both, () => [
			[
				{ key: 'Comment', value: 'x' },
				{ key: 'Comment', value: 'y' },
			],
		]);
		const statusOf = async (text: string) =>
			statusesOf((await create({ [uuids[1]]: text }, [uuids[1]])).items)[0];
		expect([await statusOf('x'), await statusOf('y')]).toEqual(['created', 'skipped']);
	});
});

describe('Skip If Exists stops before anything is sent', () => {
	const both = [{ label: 'Comment' }, { label: 'Comment' }];

	it.each([0, 1])(
		'for field %i of two with one label, where the service lists answered fields only',
		async (index) => {
			const { uuids, create } = formListing(both, () => [[{ key: 'Comment', value: 'x' }]]);
			const { error } = await create({ [uuids[index]]: 'x' }, [uuids[index]]);
			expect(error?.message).toMatch(
				/^'Skip If Exists' can't compare "Comment( \(2\))?" with response r0$/,
			);
			expect(error?.description).toMatch(/^Nothing was sent|several fields have this label/);
			expect(posts()).toEqual([]);
		},
	);

	it('for answers that could not be read', async () => {
		const { uuids, create } = formListing([{ label: 'Email' }], () => [42]);
		const { error } = await create({ [uuids[0]]: 'a' });
		expect(error?.message).toMatch(/^'Skip If Exists' can't read the answers of response r0$/);
		expect(posts()).toEqual([]);
	});

	it('for an answer of an unknown kind', async () => {
		const { uuids, create } = formListing([{ label: 'Email' }], () => [
			[{ key: 'Email', value: { first: { second: 'a' } } }],
		]);
		const { error } = await create({ [uuids[0]]: 'a' });
		expect(error?.message).toMatch(/^'Skip If Exists' can't compare "Email" with response r0$/);
		expect(posts()).toEqual([]);
	});

	it('where a field was renamed, and the service lists the earlier label', async () => {
		const { uuids, create } = formListing([{ label: 'Email' }], () => [
			[{ key: 'E-mail', value: 'a' }],
			[{ key: 'E-mail', value: 'b' }],
		]);
		const { error } = await create({ [uuids[0]]: 'c' });
		expect(error?.message).toBe(
			'\'Skip If Exists\' found no answer to "Email" in any of the 2 responses of the form',
		);
		expect(posts()).toEqual([]);
	});

	it('where one response may have the answer under an earlier label', async () => {
		const { uuids, create } = formListing([{ label: 'Email' }, { label: 'Note' }], () => [
			[{ key: 'Email', value: 'a' }],
			[{ key: 'E-mail', value: 'b' }],
		]);
		const statusOf = async (text: string) => (await create({ [uuids[0]]: text })).error?.message;
		expect(await statusOf('b')).toBe(`'Skip If Exists' can't compare "Email" with response r1`);
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
		const { id, uuids } = formListing([{ label: 'Email' }], () => [
			[{ key: 'Email', value: 'a' }],
			[{ key: 'E-mail', value: 'b' }],
		]);
		const { error } = await n8n.runNode(
			{
				resource: 'response',
				operation: 'create',
				formId: locator(id),
				inputMode: 'json',
				answersJson: '={{ $json }}',
				options: { skipIfExists: [uuids[0]] },
			},
			itemsOf({ [uuids[0]]: 'c' }, { [uuids[0]]: 'b' }),
		);
		expect(error).toMatchObject({ context: { itemIndex: 1 } });
		expect(posts()).toEqual([]);
	});
});

describe('Skip If Exists, whatever shape the answers of a listing have', () => {
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
				given: fc.array(fc.constantFrom('x', 'y', 'z'), length),
				identity: fc.subarray([...world.labels.keys()], { minLength: 1 }),
			});
		});

	it('never adds what exists and never skips what does not, and stops if it cannot tell', async () => {
		await fc.assert(
			fc.asyncProperty(worlds, async ({ world, stored, given, identity }) => {
				const { labels, shape, omitsUnanswered, renames } = world;
				service.requests.length = 0;
				const { uuids, create } = formListing(
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
				const json = Object.fromEntries(given.map((text, index) => [uuids[index], text]));
				const chosen = identity.map((index) => uuids[index]);
				const { items, error } = await create(json, chosen);
				const exists = stored.some((answers) =>
					identity.every((index) => answers[index] === given[index]),
				);
				if (error === undefined) {
					expect(statusesOf(items)).toEqual([exists ? 'skipped' : 'created']);
				} else {
					expect(error.message).toMatch(/^'Skip If Exists' (can't compare|found no answer)/);
					expect(shape !== 'list' || omitsUnanswered).toBe(true);
					expect(posts()).toEqual([]);
				}
			}),
			{ numRuns: 100 },
		);
	});
});

describe('The fields of Skip If Exists', () => {
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
		expect(error?.message).toMatch(/^'Skip If Exists' /);
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
			'"Email" has no answer. \'Skip If Exists\' compares this field, so it needs an answer',
		);
		expect(posts()).toEqual([]);
	});

	it('must be fields of the form', async () => {
		const { uuids, create } = formListing([{ label: 'Email' }, { label: 'Note' }], () => []);
		const { error } = await create({ [uuids[0]]: 'x' }, ['Emial']);
		expect(error?.message).toBe(
			'\'Skip If Exists\' names "Emial", which is not a field of the form',
		);
		expect(error?.description).toContain('Email, Note');
		expect(posts()).toEqual([]);
	});
});
