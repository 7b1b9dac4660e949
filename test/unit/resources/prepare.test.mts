import fc from 'fast-check';
import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { operations } from '../../../nodes/FormService/resources/index.ts';
import type { Input, Operation } from '../../../nodes/FormService/routing/operation.ts';

const node: INode = {
	id: '1',
	name: 'Form Service',
	type: 'n8n-nodes-formservice.formService',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** An item whose parameters are these; what is missing takes its default, as in n8n. */
const inputOf = (parameters: Record<string, unknown>, json: IDataObject = {}): Input => ({
	parameter: <T,>(name: string, fallback?: T) =>
		(Object.hasOwn(parameters, name) ? parameters[name] : fallback) as T,
	item: { json },
	itemIndex: 3,
	node,
});

const anything = () =>
	fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withSparseArray: true });

const everyOperation = Object.entries(operations).flatMap(([resource, byName]) =>
	Object.entries(byName).map(([name, operation]) => [`${resource}/${name}`, operation] as const),
);

describe.each(everyOperation)('%s', (_, operation: Operation) => {
	it('either accepts an item or refuses it with an error for a person, whatever the parameters are', () => {
		const id = fc.oneof(fc.constant('aB3xY9'), anything());
		const text = fc.oneof(fc.json(), fc.string(), anything());
		const mapper = fc.record(
			{
				mappingMode: fc.oneof(fc.constantFrom('defineBelow', 'autoMapInputData'), anything()),
				value: fc.oneof(fc.object(), anything()),
				schema: fc.oneof(fc.array(fc.object()), anything()),
			},
			{ requiredKeys: [] },
		);
		const parameters = fc.record(
			{
				formId: id,
				responseId: id,
				inputMode: fc.oneof(fc.constantFrom('fields', 'json'), anything()),
				fields: fc.oneof(mapper, anything()),
				answersJson: text,
				settings: fc.oneof(fc.object(), anything()),
				settingsJson: text,
				clear: fc.oneof(fc.array(fc.string()), anything()),
				limit: anything(),
				returnAll: anything(),
				status: anything(),
				simplify: anything(),
				includeSecrets: anything(),
				download: anything(),
				binaryPropertyName: anything(),
				options: fc.oneof(
					fc.record({ downloadFiles: fc.boolean(), filePrefix: anything() }),
					anything(),
				),
			},
			{ requiredKeys: [] },
		);
		fc.assert(
			fc.property(parameters, fc.object(), (given, json) => {
				try {
					expect(operation.prepare(inputOf(given, json as IDataObject))).toBeTypeOf('function');
				} catch (error) {
					expect(error).toBeInstanceOf(NodeOperationError);
					const { message, description, context } = error as NodeOperationError;
					expect(context.itemIndex).toBe(3);
					expect(message).toMatch(/^\S.*\S$/s);
					expect(description).toMatch(/\S/);
				}
			}),
			{ numRuns: 1000 },
		);
	});
});
