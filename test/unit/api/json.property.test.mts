import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, TooMuch } from '../../../nodes/FormService/api/json.ts';

/** What comes of a text: its value, or the error. */
const whole = (text: string): unknown => {
	try {
		return { value: JSON.parse(text) as unknown };
	} catch {
		return 'SyntaxError';
	}
};
const inPieces = async (text: string, pieceBytes: number): Promise<unknown> => {
	try {
		return { value: await parseJson(Buffer.from(text), pieceBytes) };
	} catch (error) {
		return error instanceof TooMuch ? error.kind : (error as Error).name;
	}
};

const record = fc.record(
	{
		uuid: fc.string({ maxLength: 5 }),
		text: fc.constantFrom('},{"uuid":"', '],[', '\\",{', '"', '\\', 'ä€😀', ''),
		answers: fc.array(
			fc.dictionary(fc.constantFrom('uuid', '__proto__'), fc.jsonValue({ maxDepth: 1 })),
		),
	},
	{ requiredKeys: ['uuid'] },
);
const list = fc.oneof(
	fc.array(record, { maxLength: 12 }),
	fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 8 }),
);
const body = fc
	.tuple(
		fc.oneof(
			list,
			fc.record({ success: fc.boolean(), data: list, meta: fc.jsonValue({ maxDepth: 2 }) }),
			fc.record({ data: fc.record({ form: fc.string(), responses: list }) }),
			fc.array(list),
		),
		fc.constantFrom(undefined, 1, '\t'),
	)
	.map(([value, indent]) => JSON.stringify(value, undefined, indent));

const pieceBytes = fc.constantFrom(1, 2, 5, 20, 60, 200);

describe('JSON in pieces', () => {
	it('is what it is as a whole', async () => {
		await fc.assert(
			fc.asyncProperty(body, pieceBytes, async (text, size) => {
				expect(await inPieces(text, size)).toEqual(whole(text));
			}),
			{ numRuns: 500 },
		);
	});

	it('is an error where it is one as a whole', async () => {
		const junk = fc.constantFrom(',', '[', ']', '{', '}', '"', '\\', ':', ' ', '1', 'x', '\n');
		const broken = fc
			.tuple(body, fc.nat(), fc.nat({ max: 3 }), junk)
			.map(([text, at, cut, put]) => {
				const place = at % (text.length + 1);
				// half a character is no text of UTF-8
				return (text.slice(0, place) + put + text.slice(place + cut)).toWellFormed();
			});
		await fc.assert(
			fc.asyncProperty(broken, pieceBytes, async (text, size) => {
				expect(await inPieces(text, size)).toEqual(whole(text));
			}),
			{ numRuns: 500, endOnFailure: true },
		);
	});

	it('is one value where the same name comes twice', async () => {
		const text = '{"data":[1,2,3],"data":[4],"data":[5,6,7,8]}';
		for (const size of [1, 4, 8]) expect(await inPieces(text, size)).toEqual(whole(text));
	});

	it.each([1, 40, 10_000])('has at most 100 levels, in pieces of %i bytes', async (size) => {
		const nested = (levels: number) => '[1,'.repeat(levels - 1) + '[]' + ']'.repeat(levels - 1);
		expect(await inPieces(nested(100), size)).toEqual(whole(nested(100)));
		expect(await inPieces(nested(101), size)).toBe('tooDeep');
		const within = (levels: number) => `{"data":[0,0,${nested(levels)},0,0]}`;
		expect(await inPieces(within(98), size)).toEqual(whole(within(98)));
		expect(await inPieces(within(99), size)).toBe('tooDeep');
	});

	it('lets others have their turns in between', async () => {
		const text = JSON.stringify(Array.from({ length: 200_000 }, (_, id) => ({ id, text: 'text' })));
		let turns = 0;
		const timer = setInterval(() => (turns += 1), 1);
		const parsed = await parseJson(Buffer.from(text));
		clearInterval(timer);
		expect(parsed).toHaveLength(200_000);
		expect(turns).toBeGreaterThan(0);
	});
});
