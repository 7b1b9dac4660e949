import fc from 'fast-check';
import { NodeOperationError } from 'n8n-workflow';
import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	INode,
	INodeProperties,
	INodePropertyOptions,
	PreSendAction,
} from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { properties } from '../../../nodes/FormService/operations/index.ts';
import { sendRoutedItem } from '../../../nodes/FormService/operations/routing.ts';

const ITEM = 0;

const node: INode = {
	id: '1',
	name: 'Form Service',
	type: 'n8n-nodes-formservice.formService',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

const ACCEPTED = 'The item was accepted';

/**
 * n8n's context of an item whose parameters are these; what is missing takes its default, as in n8n.
 * An item that is accepted gets as far as the credential.
 */
const contextOf = (parameters: Record<string, unknown>, json: IDataObject = {}) => {
	const executeData = { node, source: null, data: { main: [[{ json }]] } };
	return {
		getExecuteData: () => executeData,
		getNode: () => node,
		getItemIndex: () => ITEM,
		getInputData: () => ({ json }),
		getTimezone: () => 'utc',
		getNodeParameter: (name: string, fallback?: unknown) =>
			Object.hasOwn(parameters, name) ? parameters[name] : fallback,
		continueOnFail: () => false,
		getCredentials: async () => await Promise.reject(new Error(ACCEPTED)),
	} as unknown as IExecutePaginationFunctions;
};

/** What comes of an item in n8n's routing. */
async function outcomeOf(check: PreSendAction, context: IExecutePaginationFunctions) {
	const options = await check.call(context, { url: '/' });
	return await sendRoutedItem
		.call(context, { options } as DeclarativeRestApiSettings.ResultOptions)
		.catch((error: unknown) => error);
}

const anything = () =>
	fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withSparseArray: true });

const mapper = fc.record(
	{
		mappingMode: fc.oneof(fc.constantFrom('defineBelow', 'autoMapInputData'), anything()),
		value: fc.oneof(fc.object(), anything()),
		schema: fc.oneof(fc.array(fc.object()), anything()),
	},
	{ requiredKeys: [] },
);

/** Values that a parameter may have, and any others. */
function valuesOf({ type, options = [] }: INodeProperties): fc.Arbitrary<unknown> {
	const choices = (options as INodePropertyOptions[]).map(({ value }) => value);
	const known: Partial<Record<INodeProperties['type'], fc.Arbitrary<unknown>>> = {
		boolean: fc.boolean(),
		collection: fc.oneof(fc.object(), valuesOfAll(options as INodeProperties[])),
		json: fc.json(),
		multiOptions: fc.array(fc.oneof(fc.string(), fc.constantFrom('', ...choices))),
		options: fc.constantFrom('', ...choices),
		resourceLocator: fc.constant('aB3xY9'),
		resourceMapper: mapper,
		string: fc.string(),
	};
	return fc.oneof(known[type] ?? anything(), anything());
}

function valuesOfAll(list: readonly INodeProperties[]): fc.Arbitrary<Record<string, unknown>> {
	const values = list.map((property) => [property.name, valuesOf(property)] as const);
	return fc.record(Object.fromEntries(values), { requiredKeys: [] });
}

const isFor = ({ displayOptions }: INodeProperties, resource: unknown, operation: unknown) =>
	displayOptions?.show?.resource?.[0] === resource &&
	displayOptions?.show?.operation?.[0] === operation;

const everyOperation = properties
	.filter(({ name }) => name === 'operation')
	.flatMap(({ displayOptions, options }) => {
		const resource = displayOptions?.show?.resource?.[0];
		return (options as INodePropertyOptions[]).map(({ value, routing }) => ({
			name: `${String(resource)}/${String(value)}`,
			check: routing!.send!.preSend![0],
			parameters: properties.filter((property) => isFor(property, resource, value)),
		}));
	});

describe.each(everyOperation)('$name', ({ check, parameters }) => {
	it('either accepts an item or refuses it with an error for a person, whatever the parameters are', async () => {
		await fc.assert(
			fc.asyncProperty(valuesOfAll(parameters), fc.object(), async (given, json) => {
				const error = await outcomeOf(check, contextOf(given, json as IDataObject));
				expect(error).toBeInstanceOf(NodeOperationError);
				const { message, description, context } = error as NodeOperationError;
				expect(context.itemIndex).toBe(ITEM);
				if (message === ACCEPTED) return;
				expect(message).toMatch(/^\S.*\S$/s);
				expect(description).toMatch(/^Nothing was sent\.(\n\S|$)/);
			}),
			{ numRuns: 600 },
		);
	});
});
