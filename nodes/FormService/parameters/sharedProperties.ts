import { sortBy } from 'lodash';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/**
 * The parameter Form. Code checks the ID, because n8n gives a pattern in a description little time, and fails
 * the run if a busy machine needs longer.
 */
export const formLocator: INodeProperties = {
	displayName: 'Form',
	name: 'formId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The form to work with',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a form...',
			typeOptions: { searchListMethod: 'searchForms', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. aB3xY9',
			hint: "The letters and digits at the end of the form's address. For one form per row, drag the column with the form's ID here.",
		},
		{
			displayName: 'By URL',
			name: 'url',
			type: 'string',
			placeholder: 'e.g. https://forms.example.com/f/aB3xY9',
			hint: "The address of the form's page, which ends with the form's ID",
		},
	],
};

/** The parameter Response. */
export const responseLocator: INodeProperties = {
	displayName: 'Response',
	name: 'responseId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description:
		"The response to get. Search by any answer. n8n saves the found answer in the workflow; to avoid that, use 'By UUID'.",
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Search by answer, such as a name...',
			typeOptions: { searchListMethod: 'searchResponses', searchable: true },
		},
		{
			displayName: 'By UUID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 9b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d',
			hint: 'The UUID of the response. Drag <code>uuid</code> here from the input, for example from Get Many or the trigger.',
		},
	],
};

/** Creates the collection Options, with the options sorted by name, as n8n requires. */
export function createOptionsProperty(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: sortBy(options, 'displayName'),
	};
}

/** Converts choices to n8n's options, sorted by name, as n8n requires. */
export function toOptions(choices: Readonly<Record<string, string>>): INodePropertyOptions[] {
	const options = Object.entries(choices).map(([value, name]) => ({ name, value }));
	return sortBy(options, 'name');
}

/** The ways in which a user can enter answers or settings. */
export const INPUT_MODES = {
	fields: 'Using Fields Below',
	auto: 'Map Automatically',
	json: 'Using JSON',
};

/** Creates the parameter that selects how the user enters answers or settings. */
export function createInputModeProperty(
	displayName: string,
	descriptions: Readonly<Record<keyof typeof INPUT_MODES, string>>,
): INodeProperties {
	const options = Object.entries(descriptions).map(([value, description]) => {
		return { name: INPUT_MODES[value as keyof typeof INPUT_MODES], value, description };
	});
	return { displayName, name: 'inputMode', type: 'options', default: 'fields', options };
}
