import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { endpoints, type Endpoint } from '../../../nodes/FormService/api/endpoints.ts';
import { demoForms, type Service } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { nodeOf } from '../n8n/package.mts';

/** One operation of the node as its description declares it, with what it needs from an item of `inputFor`. */
export type OperationCase = {
	/** As the editor shows it: `Response: Get Many`. */
	name: string;
	resource: string;
	operation: string;
	/** What the operation needs; all else has its default. */
	parameters: INodeParameters;
	/** What sending its request twice would do, as the endpoints say. */
	effect: Endpoint['effect']['kind'];
	/** Whether each item has a request of its own; else all items share one. */
	ownRequest: boolean;
	/** The request of the second item of `inputFor`, for the rule of a fault. */
	match: { method: string; path: RegExp };
	/** The parameters that the editor can show for it. */
	properties: INodeProperties[];
	/**
	 * With one parameter that an item can break: by `broken: 'value'`, which it cannot take, or by
	 * `broken: 'expression'`, which throws.
	 */
	breakable: { parameters: INodeParameters; message: RegExp };
};

const target = demoForms.survey;

const TARGET_RESPONSE = '9f000000-0000-4000-8000-000000000000';

/** The answer that the operations add, to tell what they added from what was there. */
const MARK = 'added by a test';

/** What each operation that has the parameter gets: values that come from the item. */
const needed: INodeParameters = {
	formId: locator('={{ $json.formId }}'),
	responseId: '={{ $json.responseId }}',
	inputMode: 'json',
	answersJson: '={{ $json.answers }}',
	settingsJson: '={{ $json.settings }}',
};

const { properties } = nodeOf('formService').description;

const optionsOf = ({ options }: INodeProperties) => (options ?? []) as INodePropertyOptions[];

const isFor = ({ displayOptions }: INodeProperties, resource: unknown, operation?: unknown) =>
	displayOptions?.show?.resource?.[0] === resource &&
	(operation === undefined || displayOptions?.show?.operation?.[0] === operation);

/** Every operation of the node, in the order of the editor. */
export const operationCases: OperationCase[] = optionsOf(
	properties.find(({ name }) => name === 'resource')!,
).flatMap((resource) =>
	properties
		.filter((one) => one.name === 'operation' && isFor(one, resource.value))
		.flatMap((one) => optionsOf(one).map((option) => caseOf(resource, option))),
);

export const operationNamed = (name: string): OperationCase =>
	operationCases.find((one) => one.name === name)!;

function caseOf(resource: INodePropertyOptions, option: INodePropertyOptions): OperationCase {
	const ids = { resource: String(resource.value), operation: String(option.value) };
	const own = properties.filter((property) => isFor(property, ids.resource, ids.operation));
	const parameters = Object.fromEntries(
		own.filter(({ name }) => name in needed).map(({ name }) => [name, needed[name]]),
	);
	const { method, url } = option.routing!.request as { method: string; url: string };
	const { effect } = Object.values<Endpoint>(endpoints).find(
		(one) => one.method === method && one.url === url,
	)!;
	const path = url.replace('{formId}', target).replace('{responseId}', TARGET_RESPONSE);
	return {
		name: `${resource.name}: ${option.name}`,
		...ids,
		parameters: { ...ids, ...parameters },
		effect: effect.kind,
		ownRequest: url.includes('{'),
		match: { method, path: new RegExp(`^${path}(\\?|$)`) },
		properties: own,
		breakable: breakableOf(url, own, { ...ids, ...parameters }),
	};
}

/** The ID in the path of an operation can be broken, else its first switch. */
function breakableOf(url: string, own: INodeProperties[], parameters: INodeParameters) {
	const [, id] = /\{(\w+)\}/.exec(url) ?? [];
	const { name, displayName, ...property } = own.find((one) =>
		id === undefined ? one.type === 'boolean' : one.name === id,
	)!;
	const good = id === undefined ? JSON.stringify(property.default) : `$json.${id}`;
	const value = `={{ $json.broken === 'expression' ? $('No such node').first().json.id : $json.broken === 'value' ? '../workspace' : ${good} }}`;
	return {
		parameters: { ...parameters, [name]: id === undefined ? value : locator(value) },
		message: new RegExp(`^'${displayName}' (is not a valid (UU)?ID|must be true or false)$`),
	};
}

/** Two input items for any operation, and what they name in the service. */
export function inputFor({ store }: Service): INodeExecutionData[] {
	const [{ uuid }] = store.responses(demoForms.contact);
	if (!store.response(TARGET_RESPONSE)) store.addResponse(target, { uuid: TARGET_RESPONSE });
	const others = itemFor({ store }, demoForms.contact, uuid);
	return [others, itemFor({ store }, target, TARGET_RESPONSE)];
}

function itemFor({ store }: Pick<Service, 'store'>, formId: string, responseId: string) {
	const field = store.fields(formId).find(({ options }) => options === null)!;
	const answer = field.type === 'number' ? 7 : MARK;
	const json: IDataObject = {
		formId,
		responseId,
		answers: { [field.uuid]: answer },
		settings: { seo_title: MARK },
	};
	return { json };
}

/** How often the second item's response was added. */
export function timesAdded({ store }: Service): number {
	const added = itemFor({ store }, target, TARGET_RESPONSE).json.answers as IDataObject;
	const [[uuid, answer]] = Object.entries(added);
	return store.responses(target).filter(({ answers }) => answers[uuid] === answer).length;
}
