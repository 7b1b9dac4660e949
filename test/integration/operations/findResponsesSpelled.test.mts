import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { running } from '../world.mts';

/**
 * A service that spells dates, numbers, yes and choices in its own ways, against a naive reader. The
 * reader knows what each answer means, because the answers are made from their meanings; it reads nothing.
 */

const { service, n8n } = await running();

/** An answer as the service lists it. Of one that is unclear, nobody can say what it means. */
type Spelled = { means: string; listed: unknown; isUnclear?: true };

const clear = (means: string, ...all: unknown[]) =>
	all.map((listed): Spelled => ({ means, listed }));
const unclear = (means: string, ...all: unknown[]) =>
	all.map((listed): Spelled => ({ means, listed, isUnclear: true }));

/** What a person enters for a meaning, its spellings in the list, and how two meanings lie to each other. */
type World = { field: object; given: (means: string) => unknown; listed: Spelled[] };

const colours = [{ label: 'Red', value: 'r' }, { label: 'Blue, dark', value: 'b' }, 'Green'];

const worlds: Record<string, World> = {
	numbers: {
		field: { type: 'number' },
		given: Number,
		listed: [
			...clear('3', 3, '3', '3.0', '03', ' 3 '),
			...clear('1200', 1200, '1200', '1.2e3', '1200.00'),
			...clear('1.2', 1.2, '1.2', '1.20'),
			...unclear('1200', '1,200', '1 200', '1.200,00', '1200 €', '1’200'),
			...unclear('3', 'three', '3,0', '3 kg'),
		],
	},
	'numbers of many digits': {
		field: { type: 'number' },
		given: (means) => means,
		listed: [
			...clear('20261122000000017', '20261122000000017', '20261122000000017.0'),
			...clear('20261122000000016', '20261122000000016'),
			...unclear('20261122000000017', 20261122000000016, 2.0261122000000016e16),
		],
	},
	'yes and no': {
		field: { type: 'checkbox', options: [] },
		given: (means) => means === 'yes',
		listed: [
			...clear('yes', true, 1, '1', 'yes', 'On', 'TRUE', [1], ['1']),
			...clear('no', false, 0, '0', 'no', 'off', [0]),
			...unclear('yes', 'Ja', 'I agree', 'checked'),
		],
	},
	days: {
		field: { type: 'date' },
		given: (means) => means,
		listed: ['2026-01-31', '2026-02-01', '2026-03-04'].flatMap((day) => [
			...clear(day, day, `${day}T00:00:00.000000Z`, `${day} 00:00:00`, `${day}T00:00:00-05:00`),
			...unclear(day, day.split('-').reverse().join('.'), `${day.slice(5)}/2026`),
			...unclear(day, 'January 31, 2026'),
		]),
	},
	times: {
		field: { type: 'datetime' },
		given: (means) => `${means}:00Z`,
		listed: ['2026-01-31T08:00', '2026-01-31T13:00'].flatMap((time) => [
			...clear(time, `${time}:00Z`, `${time}:00.000000Z`, Date.parse(`${time}Z`) / 1000),
			...unclear(time, time.replace('T', ' ').replaceAll('-', '/'), '31.01.2026 08:00'),
		]),
	},
	'one choice': {
		field: { type: 'select', options: colours },
		given: (means) => means,
		listed: [
			...clear('Red', 'r', 'Red', ' red', { label: 'Red', value: 'r' }, ['Red']),
			...clear('Blue, dark', 'b', 'Blue, dark', 'BLUE, DARK'),
			...clear('Green', 'Green', 'green'),
		],
	},
	'several choices': {
		field: { type: 'multiple_choice', options: colours },
		given: (means) => means.split(';'),
		listed: [
			...clear('Red', 'r', 'Red', ['Red'], [{ label: 'Red', value: 'r' }]),
			...clear('Red;Green', 'Red, Green', 'Green,r', ['Green', 'Red'], ['r', 'green']),
			...clear('Blue, dark;Red', 'Blue, dark, Red', 'r, b', ['Red', 'b']),
		],
	},
	text: {
		field: { type: 'text' },
		given: (means) => means,
		listed: [
			...clear('Two\nlines', 'Two\nlines', 'Two\r\nlines', ' Two\r\nlines\n'),
			...clear('José', 'José', 'Jose\u0301'),
			...clear('true', 'true'),
			...clear('1', '1', 1),
			...clear('a, b', 'a, b'),
		],
	},
};

/** A form with one field, and what the service lists of it. */
function addForm(field: object, listed: readonly Spelled[]) {
	const { id } = service.store.addForm({ name: 'Spelled', fields: [{ label: 'F', ...field }] });
	const data = listed.map((one, index) => ({
		uuid: `r${index}`,
		number: index,
		responses: [{ key: 'F', value: one.listed }],
	}));
	service.faults.clear();
	service.faults.set({
		fault: answer(200, 'application/json', JSON.stringify({ success: true, data })),
		match: { path: /^\/responses\// },
	});
	return { formId: locator(id), uuid: service.store.fields(id)[0].uuid };
}

/** The numbers of the responses for which a condition holds. */
async function find(formId: object, operator: string, value: unknown): Promise<unknown[]> {
	const conditions = { conditions: [{ field: 'F', operator, value }] };
	const getAll = { resource: 'response', operation: 'getAll', returnAll: true, sort: 'listed' };
	const given = { ...getAll, formId, filters: { conditions } } as never;
	const { items, error } = await n8n.runNode(given);
	expect(error).toBeUndefined();
	return items.map(({ json }) => json.number);
}

const cases = Object.entries(worlds);
const listOf = ({ listed }: World) => fc.array(fc.constantFrom(...listed), { maxLength: 5 });
const numbersOf = (list: readonly Spelled[], holds: (one: Spelled) => boolean) =>
	list.flatMap((one, index) => (holds(one) ? [index] : []));

describe.each(cases)('Of %s, however the service spells them', (kind, world) => {
	const { field, given, listed } = world;
	const meanings = [...new Set(listed.map(({ means }) => means))];

	it('Is finds those that mean the same, and Is Not the others', async () => {
		const one = fc.constantFrom(...meanings.filter((means) => !means.includes(';')));
		await fc.assert(
			fc.asyncProperty(listOf(world), one, async (list, wanted) => {
				const { formId } = addForm(field, list);
				const value = [given(wanted)].flat()[0];
				// of several choices, one that was chosen is enough
				const isMet = ({ means, isUnclear }: Spelled) =>
					!isUnclear && means.split(';').includes(wanted);
				expect(await find(formId, 'is', value)).toEqual(numbersOf(list, isMet));
				expect(await find(formId, 'isNot', value)).toEqual(numbersOf(list, (met) => !isMet(met)));
			}),
			{ numRuns: 15 },
		);
	});

	it('Skip Duplicates By never adds one that is there, and never skips one that is not', async () => {
		await fc.assert(
			fc.asyncProperty(listOf(world), fc.constantFrom(...meanings), async (list, means) => {
				const { formId, uuid } = addForm(field, list);
				const parameters = {
					resource: 'response',
					operation: 'create',
					formId,
					inputMode: 'json',
					answersJson: '={{ $json }}',
					options: { skipIfExists: [uuid] },
				};
				const { items, error } = await n8n.runNode(
					parameters as never,
					itemsOf({ [uuid]: given(means) } as IDataObject),
				);
				const isThere = list.some((one) => !one.isUnclear && one.means === means);
				const isUnsure = list.some(({ isUnclear }) => isUnclear);
				if (isThere) expect(items[0]?.json.status).toBe('skipped');
				else if (isUnsure)
					expect(error?.message).toMatch(/^'Skip Duplicates By' can't compare "F"/);
				else expect(items[0]?.json.status).toBe('created');
			}),
			{ numRuns: 25 },
		);
	});

	it('a column has what they mean, or what the service sent', async () => {
		const { formId } = addForm(field, listed);
		const getAll = { resource: 'response', operation: 'getAll', returnAll: true, sort: 'listed' };
		const options = { columns: true };
		const { items } = await n8n.runNode({ ...getAll, formId, options } as never);
		for (const [index, { listed: sent, means, isUnclear }] of listed.entries()) {
			const { F: value } = items[index].json;
			if (kind === 'numbers' && !isUnclear) expect(Number(value)).toBe(Number(means));
			if (kind === 'yes and no' && !isUnclear) expect(value).toBe(means === 'yes');
			if (kind === 'several choices') expect(value).toBeInstanceOf(Array);
			if (isUnclear) expect(value).toEqual(sent);
		}
	});
});

const ordered = cases.filter(([kind]) => ['numbers', 'days', 'times'].includes(kind));

describe.each(ordered)('A comparison of %s, however the service spells them', (kind, world) => {
	const { given, field, listed } = world;
	const meanings = [...new Set(listed.map(({ means }) => means))];

	it('finds those that lie so, and no unclear one', async () => {
		const [more, less] = kind === 'numbers' ? ['greater', 'less'] : ['after', 'before'];
		const rank = (means: string) => (kind === 'numbers' ? Number(means) : Date.parse(means));
		await fc.assert(
			fc.asyncProperty(listOf(world), fc.constantFrom(...meanings), async (list, wanted) => {
				const { formId } = addForm(field, list);
				const than = (sign: number) =>
					numbersOf(
						list,
						({ means, isUnclear }) => !isUnclear && sign * (rank(means) - rank(wanted)) > 0,
					);
				expect(await find(formId, more, given(wanted))).toEqual(than(1));
				expect(await find(formId, less, given(wanted))).toEqual(than(-1));
			}),
			{ numRuns: 15 },
		);
	});
});
