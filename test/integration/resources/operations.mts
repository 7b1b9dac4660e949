import { find, isMatch, map, mapValues, pick } from 'lodash';
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodePropertyOptions,
} from 'n8n-workflow';
import { endpoints, type Endpoint } from '../../../nodes/FormService/api/endpoints.ts';
import { demoForms, type Service } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { nodeOf } from '../n8n/built.mts';

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
	options: { allowMissingAnswers: true },
	settingsJson: '={{ $json.settings }}',
};

const { properties } = nodeOf('formService').description;

/** The parameters of the node that are shown with these values of others. */
const filterShown = (show: object) =>
	properties.filter((one) => isMatch(one, { displayOptions: { show } }));

/** Every operation of the node, in the order of the editor. */
export const operationCases = (
	find(properties, { name: 'resource' })!.options as INodePropertyOptions[]
).flatMap((resource) => {
	const { options } = find(filterShown({ resource: [resource.value] }), { name: 'operation' })!;
	return (options as INodePropertyOptions[]).map((option) => describeCase(resource, option));
});

export const operationNamed = (name: string) => find(operationCases, { name })!;

export type OperationCase = ReturnType<typeof describeCase>;

/** One operation of the node as its description declares it, with what it needs from an item of `inputFor`. */
function describeCase(resource: INodePropertyOptions, option: INodePropertyOptions) {
	const ids = { resource: String(resource.value), operation: String(option.value) };
	const own = filterShown(mapValues(ids, (id) => [id]));
	const { method, url } = option.routing!.request as { method: string; url: string };
	const endpoint = Object.values<Endpoint>(endpoints).find((one) => isMatch(one, { method, url }));
	const path = url.replace('{formId}', target).replace('{responseId}', TARGET_RESPONSE);
	return {
		// as the editor shows it: `Response: Get Many`
		name: `${resource.name}: ${option.name}`,
		...ids,
		// all others have their defaults
		parameters: { ...ids, ...pick(needed, map(own, 'name')) },
		effect: endpoint!.effect,
		// the request of the second item of `inputFor`, for the rule of a fault
		match: { method, path: new RegExp(`^${path}(\\?|$)`) },
		properties: own,
	};
}

/** Two input items for any operation, and what they name in the service. */
export function inputFor({ store }: Service): INodeExecutionData[] {
	const [{ uuid }] = store.responses(demoForms.contact);
	if (!store.response(TARGET_RESPONSE)) store.addResponse(target, { uuid: TARGET_RESPONSE });
	const named = { [demoForms.contact]: uuid, [target]: TARGET_RESPONSE };
	return Object.entries(named).map(([formId, responseId]) => {
		const field = store.fields(formId).find(({ options }) => options === null)!;
		const answers = { [field.uuid]: field.type === 'number' ? 7 : MARK };
		return { json: { formId, responseId, answers, settings: { seo_title: MARK } } };
	});
}

/** How often the second item's response was added. */
export function timesAdded(service: Service): number {
	const [, { json }] = inputFor(service);
	const [[uuid, answer]] = Object.entries(json.answers as IDataObject);
	return service.store.responses(target).filter(({ answers }) => answers[uuid] === answer).length;
}
