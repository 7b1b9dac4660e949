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
import { expect, it } from 'vitest';
import { properties } from '../../../nodes/FormService/operations/index.ts';
import { sendRoutedItem } from '../../../nodes/FormService/operations/routing.ts';

const node = { name: 'Form Service', type: 'formService', parameters: {} } as INode;

const ACCEPTED = 'The item was accepted';

/**
 * The error of an item with these parameters; what is missing takes its default, as in n8n. An item that is
 * accepted gets as far as the credential.
 */
async function findError(check: PreSendAction, parameters: object, json: IDataObject) {
	const executeData = { node, source: null, data: { main: [[{ json }]] } };
	const context = {
		getExecuteData: () => executeData,
		getNode: () => node,
		getItemIndex: () => 0,
		getInputData: () => ({ json }),
		getTimezone: () => 'utc',
		getNodeParameter: (name: string, fallback?: unknown) =>
			Object.hasOwn(parameters, name) ? parameters[name as keyof object] : fallback,
		continueOnFail: () => false,
		getCredentials: async () => await Promise.reject(new Error(ACCEPTED)),
	} as unknown as IExecutePaginationFunctions;
	const options = await check.call(context, { url: '/' });
	return await sendRoutedItem
		.call(context, { options } as DeclarativeRestApiSettings.ResultOptions)
		.catch((error: unknown) => error);
}

const anything = () =>
	fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withSparseArray: true });

const mapper = fc.record(
	{ value: fc.oneof(fc.object(), anything()), schema: fc.oneof(fc.array(fc.object()), anything()) },
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

const operations = properties
	.filter(({ name }) => name === 'operation')
	.flatMap(({ displayOptions, options }) =>
		(options as INodePropertyOptions[]).map(({ value: operation, routing }) => {
			const resource = displayOptions!.show!.resource![0];
			const parameters = properties.filter(
				({ displayOptions: { show } = {} }) =>
					show?.resource?.[0] === resource && show?.operation?.[0] === operation,
			);
			const check = routing!.send!.preSend![0];
			return { resource, operation, check, parameters };
		}),
	);

it.each(operations)(
	'$resource/$operation accepts an item or refuses it with an error for a person, whatever its parameters are',
	async ({ check, parameters }) => {
		await fc.assert(
			fc.asyncProperty(valuesOfAll(parameters), fc.object(), async (given, json) => {
				const error = await findError(check, given, json as IDataObject);
				expect(error).toBeInstanceOf(NodeOperationError);
				const { message, description, context } = error as NodeOperationError;
				expect(context.itemIndex).toBe(0);
				if (message === ACCEPTED) return;
				expect(message).toMatch(/^(?!Cannot read)\S.*\S$/s);
				expect(description).toMatch(/^Nothing was sent\.(\n\S|$)/);
			}),
			{ numRuns: 600 },
		);
	},
);
