import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { demoForms, type Service } from '../../service/index.mts';
import { locator } from '../harness.mts';

const form = demoForms.survey;

/** The JSON of an item that `addMapped` and `listFieldsOfEach` take. */
const good: IDataObject = { formId: form, answer: 'Very' };

/** An expression that throws for the items that say so, and else gives the item's value of that name. */
const throwing = (name: string) =>
	`={{ $json.throws === '${name}' ? $('No such node').first().json.id : $json.${name} }}`;

const formId = locator(throwing('formId'));

/** The resource mapper's value that gives one field, which is required, its answer. */
export const mapped = (field: string, label: string, answer: string): INodeParameters =>
	({
		mappingMode: 'defineBelow',
		value: { [field]: answer },
		matchingColumns: [],
		schema: [
			{
				id: field,
				displayName: label,
				type: 'string',
				required: true,
				display: true,
				defaultMatch: false,
			},
		],
	}) as unknown as INodeParameters;

/** Adds a response from mapped fields; the form and the answer come from the item. */
export const addMapped = (service: Service): INodeParameters => ({
	resource: 'response',
	operation: 'create',
	formId,
	inputMode: 'fields',
	fields: mapped(fieldOf(service), 'Satisfaction', throwing('answer')),
});

export const listFieldsOfEach: INodeParameters = { resource: 'field', operation: 'getAll', formId };

/** So many items, with those at the given places broken. */
export function itemsWith(
	count: number,
	broken: Readonly<Record<number, IDataObject>>,
): INodeExecutionData[] {
	return Array.from({ length: count }, (_, index) => ({ json: { ...good, ...broken[index] } }));
}

/** A field that takes any text. */
function fieldOf({ store }: Service): string {
	return store.fields(form).find(({ label }) => label === 'How satisfied are you?')!.uuid;
}
