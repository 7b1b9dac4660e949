import fc from 'fast-check';
import { isEmpty } from 'lodash';
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
	// what can be a form's name is looked up
	'Customer survey',
	'No Such Form',
	1.5,
	{},
];

it.each(takingIds)(
	'%s never sends a value that is no ID, and reads at most the list of forms to explain it',
	async (_name, { id, parameters }) => {
		const [{ json }] = inputFor(service);
		const property = fc.asyncProperty(invalid as fc.Arbitrary<unknown>, async (value) => {
			service.requests.length = 0;
			const { error } = await n8n.runNode(parameters, itemsOf({ ...json, [id]: value as never }));
			expect(error?.message).toMatch(/is not a valid (UU)?ID|is empty|^There is no form with/);
			const reached = [...service.requests, ...service.visits];
			expect(reached.filter(({ path, query }) => path !== '/forms' || !isEmpty(query))).toEqual([]);
		});
		await fc.assert(property, { numRuns: 20, examples: examples.map((one) => [one]) });
	},
);
