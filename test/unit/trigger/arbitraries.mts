import fc from 'fast-check';
import type { Known, Listed, Seen } from '../../../nodes/FormService/trigger/seen.ts';

const print = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

/** A response in a listing; few different ones, so that listings share them. */
const listed: fc.Arbitrary<Listed> = fc.record({
	fingerprint: fc.bigInt({ min: 0n, max: 12n }),
	incomplete: fc.boolean(),
});

export const listing = fc.array(listed, { maxLength: 20 });

/** What is known of any number of responses, with days of going missing within `span`. */
export const seenOver = (span: number): fc.Arbitrary<Seen> =>
	fc
		.array(
			fc.tuple(
				print,
				fc.record<Known, 'incomplete'>(
					{
						incomplete: fc.boolean(),
						missingSince: fc.integer({ min: 20_000, max: 20_000 + span }),
					},
					{ requiredKeys: ['incomplete'] },
				),
			),
			{ maxLength: 300, size: 'max' },
		)
		.map((entries) => new Map(entries));
