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

type World = {
	field: object;
	/** What a person enters for a meaning. */
	given: (means: string) => unknown;
	/** Meanings, each with its spellings in the list of responses. */
	clear: Record<string, unknown[]>;
	/** The spellings of them that Skip Duplicates By does not compare. */
	uncompared?: RegExp;
	/** Answers of which nobody can say what they mean. */
	unclear?: unknown[];
	/** The operators for more and less, and the size of a meaning. */
	order?: [more: string, less: string, size: (means: string) => number];
};

const days = ['2026-01-31', '2026-02-01', '2026-03-04'];
const times = ['2026-01-31T08:00', '2026-01-31T13:00'];
const listAll = (all: readonly string[], spell: (one: string) => unknown[]) =>
	Object.fromEntries(all.map((one) => [one, spell(one)]));
const options = [{ label: 'Red', value: 'r' }, { label: 'Blue, dark', value: 'b' }, 'Green'];
const red = { label: 'Red', value: 'r' };

const worlds: Record<string, World> = {
	numbers: {
		field: { type: 'number' },
		given: Number,
		clear: {
			3: [3, '3', '3.0', '03', ' 3 '],
			1200: [1200, '1200', '1.2e3', '1200.00'],
			1.2: [1.2, '1.2', '1.20'],
		},
		unclear: ['1,200', '1 200', '1.200,00', '1200 €', '1’200', 'three', '3,0', '3 kg'],
		order: ['greater', 'less', Number],
	},
	'numbers of many digits': {
		field: { type: 'number' },
		given: String,
		clear: {
			'20261122000000017': ['20261122000000017', '20261122000000017.0'],
			'20261122000000016': ['20261122000000016'],
		},
		unclear: [20261122000000016, 2.0261122000000016e16],
	},
	'yes and no': {
		field: { type: 'checkbox', options: [] },
		given: (means) => means === 'yes',
		clear: {
			yes: [true, 1, '1', 'yes', 'On', 'TRUE', [1], ['1']],
			no: [false, 0, '0', 'no', 'off', [0]],
		},
		unclear: ['Ja', 'I agree', 'checked'],
	},
	days: {
		field: { type: 'date' },
		given: String,
		clear: listAll(days, (day) => [
			...[day, `${day}T00:00:00.000000Z`, `${day} 00:00:00`, `${day}T00:00:00-05:00`],
		]),
		uncompared: /[T ]/,
		unclear: ['31.01.2026', '01/31/2026', '04-03-2026', 'January 31, 2026'],
		order: ['after', 'before', Date.parse],
	},
	times: {
		field: { type: 'datetime' },
		given: (means) => `${means}:00Z`,
		clear: listAll(times, (time) => [
			...[`${time}:00Z`, `${time}:00.000000Z`, Date.parse(`${time}Z`) / 1000],
		]),
		unclear: ['2026/01/31 08:00', '31.01.2026 08:00'],
		order: ['after', 'before', Date.parse],
	},
	'one choice': {
		field: { type: 'select', options },
		given: String,
		clear: {
			Red: ['r', 'Red', ' red', red, ['Red']],
			'Blue, dark': ['b', 'Blue, dark', 'BLUE, DARK'],
			Green: ['Green', 'green'],
		},
	},
	'several choices': {
		field: { type: 'multiple_choice', options },
		given: (means) => means.split(';'),
		clear: {
			Red: ['r', 'Red', ['Red'], [red]],
			'Red;Green': ['Red, Green', 'Green,r', ['Green', 'Red'], ['r', 'green']],
			'Blue, dark;Red': ['Blue, dark, Red', 'r, b', ['Red', 'b']],
		},
	},
	text: {
		field: { type: 'text' },
		given: String,
		clear: {
			'Two\nlines': ['Two\nlines', 'Two\r\nlines', ' Two\r\nlines\n'],
			José: ['José', 'Jose\u0301'],
			true: ['true'],
			1: ['1', 1],
			'a, b': ['a, b'],
		},
		unclear: [20261122000000016, { a: { b: 'a' } }],
	},
};

/** An answer as the service lists it; without a meaning if nobody can say it. */
type Spelled = { listed: unknown; means?: string };

/** A form with one field, and what the service lists of it. */
function addForm(field: object, answers: readonly Spelled[]) {
	const { id } = service.store.addForm({ name: 'Spelled', fields: [{ label: 'F', ...field }] });
	const data = answers.map(({ listed }, index) => ({
		uuid: `r${index}`,
		number: index,
		responses: [{ key: 'F', value: listed }],
	}));
	service.faults.clear();
	service.faults.set({
		fault: answer(200, 'application/json', JSON.stringify({ success: true, data })),
		match: { path: /^\/responses\// },
	});
	return { formId: locator(id), uuid: service.store.fields(id)[0].uuid };
}

const getAll = { resource: 'response', operation: 'getAll', returnAll: true, sort: 'listed' };

/** The numbers of the responses that meet a condition. */
async function find(formId: object, operator: string, value: unknown): Promise<unknown[]> {
	const filters = { conditions: { conditions: [{ field: 'F', operator, value }] } };
	const { items, error } = await n8n.runNode({ ...getAll, formId, filters } as never);
	expect(error).toBeUndefined();
	return items.map(({ json }) => json.number);
}

describe.each(Object.entries(worlds))('%s, however the service spells them:', (kind, world) => {
	const { field, given, clear, uncompared = /^$/, unclear = [], order } = world;
	const meanings = Object.keys(clear);
	const all: Spelled[] = [
		...meanings.flatMap((means) => clear[means].map((listed) => ({ listed, means }))),
		...unclear.map((listed) => ({ listed })),
	];

	it('conditions find those that mean the same, more or less, and no unclear one', async () => {
		const { formId } = addForm(field, all);
		for (const wanted of meanings.filter((means) => !means.includes(';'))) {
			const findBoth = async (operator: string, isMet: (means: string) => boolean) => {
				const value = [given(wanted)].flat()[0];
				const found = await find(formId, operator, value);
				const expected = all.flatMap(({ listed, means }, index) => {
					// conditions read the parts of an object
					const read = typeof listed === 'object' ? (means ?? 'parts') : means;
					return read !== undefined && isMet(read) ? [index] : [];
				});
				expect(found, `${operator} ${wanted}`).toEqual(expected);
			};
			// of several choices, one that was chosen is enough
			const isSame = (means: string) => means.split(';').includes(wanted);
			await findBoth('is', isSame);
			await findBoth('isNot', (means) => !isSame(means));
			if (order === undefined) continue;
			const [more, less, size] = order;
			await findBoth(more, (means) => size(means) > size(wanted));
			await findBoth(less, (means) => size(means) < size(wanted));
		}
	});

	it('Skip Duplicates By skips what is there, adds what is not, and refuses what it cannot compare', async () => {
		// each answer by itself, and all together, which need not all be certain
		for (const list of [...all.map((one) => [one]), all]) {
			const { formId, uuid } = addForm(field, list);
			const create = { resource: 'response', operation: 'create', inputMode: 'json', formId };
			const parameters = { answersJson: '={{ $json }}', options: { skipIfExists: [uuid] } };
			const { items } = await n8n.runNode(
				{ ...create, ...parameters } as never,
				itemsOf(...meanings.map((means) => ({ [uuid]: given(means) }) as IDataObject)),
				{ continueOnFail: true },
			);
			const there = list.map(({ listed, means }) =>
				uncompared.test(String(listed)) ? undefined : means,
			);
			const other = there.includes(undefined)
				? `'Skip Duplicates By' can't compare "F" with response r${there.indexOf(undefined)}`
				: 'created';
			expect(
				items.map(({ json }) => json.error ?? json.status),
				JSON.stringify(list),
			).toEqual(meanings.map((means) => (there.includes(means) ? 'skipped' : other)));
		}
	});

	it('a column has what they mean, or what the service sent', async () => {
		const { formId } = addForm(field, all);
		const { items } = await n8n.runNode({ ...getAll, formId, options: { columns: true } } as never);
		for (const [index, { listed, means }] of all.entries()) {
			const { F: value } = items[index].json;
			if (means === undefined) expect(value).toEqual(listed);
			else if (kind === 'numbers') expect(Number(value)).toBe(Number(means));
			else if (kind === 'yes and no') expect(value).toBe(means === 'yes');
			else if (kind === 'several choices') expect(value).toBeInstanceOf(Array);
		}
	});
});
