import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { demoForms, type Service } from '../../service/index.mts';
import { locator } from '../harness.mts';

/**
 * One operation of the node, with parameters for the input items of `inputFor`: the first item works
 * on one form, the second on the form that faults are set for.
 */
export type OperationCase = {
	name: string;
	parameters: INodeParameters;
	/** As in api/endpoints.ts. */
	effect: 'read' | 'repeatable' | 'once';
	/** What an error calls the thing that is asked for. */
	noun: 'form' | 'response' | 'address';
	/** Whether each item has a request of its own; else all items share one. */
	ownRequest: boolean;
	/** The request that a fault is to meet. */
	path: RegExp;
};

const form = locator('={{ $json.formId }}');
const target = demoForms.survey;

const operation = (
	name: string,
	resource: string,
	parameters: INodeParameters,
	rest: Omit<OperationCase, 'name' | 'parameters'>,
): OperationCase => ({ name, parameters: { resource, ...parameters }, ...rest });

const read = { effect: 'read', noun: 'form', ownRequest: true } as const;
const shared = { effect: 'read', noun: 'address', ownRequest: false } as const;

/** Every operation of the node. */
export const operationCases: OperationCase[] = [
	operation(
		'Workspace: Get',
		'workspace',
		{ operation: 'get' },
		{ ...shared, path: /^\/workspace/ },
	),
	operation(
		'Form: Get Many',
		'form',
		{ operation: 'getAll', limit: 1 },
		{ ...shared, path: /^\/forms$/ },
	),
	operation(
		'Form: Get',
		'form',
		{ operation: 'get', formId: form },
		{ ...shared, path: /^\/forms$/ },
	),
	operation(
		'Field: Get Many',
		'field',
		{ operation: 'getAll', limit: 1, formId: form },
		{ ...read, path: new RegExp(`^/forms/${target}/fields`) },
	),
	operation(
		'Response: Create',
		'response',
		{
			operation: 'create',
			formId: form,
			inputMode: 'json',
			answersJson: '={{ $json.answers }}',
		},
		{
			effect: 'once',
			noun: 'form',
			ownRequest: true,
			path: new RegExp(`^/forms/${target}/response`),
		},
	),
	operation(
		'Response: Get',
		'response',
		{ operation: 'get', formId: form, responseId: '={{ $json.responseId }}' },
		{ ...read, path: new RegExp(`^/responses/${target}`) },
	),
	operation(
		'Response: Get Many',
		'response',
		{ operation: 'getAll', formId: form, limit: 1 },
		{ ...read, path: new RegExp(`^/responses/${target}`) },
	),
	operation(
		'Response: Get PDF',
		'response',
		{ operation: 'getPdf', responseId: '={{ $json.responseId }}' },
		{ ...read, noun: 'response', path: /^\/response\/9f000000/ },
	),
	operation(
		'Settings: Update',
		'settings',
		{ operation: 'update', formId: form, settings: { seo_title: 'Title' } },
		{
			effect: 'repeatable',
			noun: 'form',
			ownRequest: true,
			path: new RegExp(`^/forms/${target}/settings`),
		},
	),
];

/** The UUID of the response that the second item asks for. */
const TARGET_RESPONSE = '9f000000-0000-4000-8000-000000000000';

/** Two input items, and what they name in the service. */
export function inputFor({ store }: Service): INodeExecutionData[] {
	const [other] = store.responses(demoForms.contact);
	if (store.response(TARGET_RESPONSE) === undefined) {
		store.addResponse(target, { uuid: TARGET_RESPONSE });
	}
	return [
		itemFor({ store }, demoForms.contact, other.uuid),
		itemFor({ store }, target, TARGET_RESPONSE),
	];
}

function itemFor({ store }: Pick<Service, 'store'>, formId: string, responseId: string) {
	const [field] = store.fields(formId);
	const json: IDataObject = { formId, responseId, answers: { [field.uuid]: MARK } };
	return { json };
}

/** The answer that the operations add, to tell what they added from what was there. */
const MARK = 'added by a test';

/** How often the second item's response was added. */
export function timesAdded({ store }: Service): number {
	return store
		.responses(target)
		.filter(({ answers }) => Object.values(answers).some((answer) => answer === MARK)).length;
}
