import fc from 'fast-check';
import { expect, it } from 'vitest';
import { itemsOf } from '../harness.mts';
import { inputFor, operationCases } from '../tables/operations.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();

/** Each parameter of each operation that takes an ID. The form of Get PDF is not sent. */
const takingIds = operationCases.flatMap(({ name, operation, parameters }) =>
	(operation === 'getPdf' ? ['responseId'] : ['formId', 'responseId'])
		.filter((id) => id in parameters)
		.map((id) => [`${name} (${id})`, { id, parameters }] as const),
);

const text = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.string({ unit: 'grapheme-composite' }),
	fc.webPath(),
	fc.webQueryParameters(),
);
const invalid = text.filter((one) => !/^[A-Za-z0-9_-]{1,255}$/.test(one.trim()));
const examples: unknown[] = [
	'../workspace',
	'..',
	'%2e%2e',
	'a%00b',
	'а',
	'x'.repeat(256),
	1.5,
	{},
];

it.each(takingIds)(
	'%s sends nothing for a value that is no ID',
	async (_name, { id, parameters }) => {
		const [{ json }] = inputFor(service);
		const property = fc.asyncProperty(invalid as fc.Arbitrary<unknown>, async (value) => {
			const { error } = await n8n.runNode(parameters, itemsOf({ ...json, [id]: value as never }));
			expect(error?.message).toMatch(/is not a valid ID|is missing/);
			expect([...service.requests, ...service.visits]).toEqual([]);
		});
		await fc.assert(property, { numRuns: 20, examples: examples.map((one) => [one]) });
	},
);
