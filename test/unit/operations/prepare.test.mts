import fc from 'fast-check';
import { NodeOperationError } from 'n8n-workflow';
import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	INode,
	INodePropertyOptions,
	PreSendAction,
} from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { properties } from '../../../nodes/FormService/operations/index.ts';
import { sendItem } from '../../../nodes/FormService/operations/sendItem.ts';

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
	return await sendItem
		.call(context, { options } as DeclarativeRestApiSettings.ResultOptions)
		.catch((error: unknown) => error);
}

const anything = () =>
	fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withSparseArray: true });

const everyOperation = properties
	.filter(({ name }) => name === 'operation')
	.flatMap(({ displayOptions, options }) =>
		(options as INodePropertyOptions[]).map(({ value, routing }) => ({
			name: `${displayOptions?.show?.resource?.join()}/${value}`,
			check: routing!.send!.preSend![0],
		})),
	);

describe.each(everyOperation)('$name', ({ check }) => {
	it('either accepts an item or refuses it with an error for a person, whatever the parameters are', async () => {
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
					fc.record(
						{
							downloadFiles: fc.boolean(),
							filePrefix: anything(),
							skipIfExists: fc.oneof(fc.array(fc.string()), anything()),
							allowOtherChoices: fc.oneof(fc.boolean(), anything()),
						},
						{ requiredKeys: [] },
					),
					anything(),
				),
			},
			{ requiredKeys: [] },
		);
		await fc.assert(
			fc.asyncProperty(parameters, fc.object(), async (given, json) => {
				const error = await outcomeOf(check, contextOf(given, json as IDataObject));
				expect(error).toBeInstanceOf(NodeOperationError);
				const { message, description, context } = error as NodeOperationError;
				expect(context.itemIndex).toBe(ITEM);
				if (message === ACCEPTED) return;
				expect(message).toMatch(/^\S.*\S$/s);
				expect(description).toMatch(/^Nothing was sent\.\n\S/);
			}),
			{ numRuns: 1000 },
		);
	});
});
