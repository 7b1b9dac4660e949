import { sortBy } from 'lodash';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/**
 * The parameter Form. The user chooses a form from a list, or enters its ID or the URL of its page
 * (specification, section 2.2).
 *
 * The node checks the ID in code, and not with a pattern in this description. n8n gives a pattern little time,
 * and fails the whole run if a busy machine needs longer.
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
			hint: "The letters and digits at the end of the form's address. Form: Get Many returns the IDs of all forms.",
		},
		{
			displayName: 'By URL',
			name: 'url',
			type: 'string',
			placeholder: 'e.g. https://forms.example.com/f/aB3xY9',
			hint: "The address of the form's page or editor, which contains the form's ID. If the form is not found, use By ID.",
		},
	],
};

/** The parameter Response. The user chooses a response of the form from a list, or enters its UUID. */
export const responseLocator: INodeProperties = {
	displayName: 'Response',
	name: 'responseId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description:
		'The response to get. Search the list by any answer, such as a name. The answer that was found is saved with the workflow; use By UUID to keep answers out. Pages are read up to the one with the response, one request each.',
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

/**
 * The hidden parameter with the time zone of the workflow, for the times in the list of responses. n8n's server
 * does not know the workflow when the server loads the list. The editor knows the workflow, and resolves the
 * expression of this parameter before requesting the list.
 */
export const timeZoneProperty: INodeProperties = {
	displayName: 'Time Zone',
	name: 'timeZone',
	type: 'hidden',
	default: '={{ $now.zoneName }}',
};

/** Creates the collection Options. Sorts the options by name, as n8n requires. */
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

/**
 * Converts choices to n8n's options: `{ newest: "Newest First" }` → `[{ name: "Newest First", value: "newest"
 * }]`. Sorts the options by name, as n8n requires.
 */
export function toOptions(choices: Readonly<Record<string, string>>): INodePropertyOptions[] {
	return sortBy(
		Object.entries(choices).map(([value, name]) => ({ name, value })),
		'name',
	);
}

/** The ways in which a user can enter answers or settings, with their names in the editor. */
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

/** The notice for users who want to use a different form for each item. */
export const FORM_PER_ROW_NOTICE =
	"One form per row? Switch Form to By ID and drag the column with the form's ID into it.";

/**
 * Creates the two notices of Map Automatically. The first notice has the rules. The second notice says how to
 * use a different form for each item.
 *
 * @param rules the text of the first notice
 * @param overrides the name of the first notice, and the conditions under which n8n hides the first notice
 */
export function createMappingNotices(
	rules: string,
	{ name = 'columnsNotice', displayOptions }: Partial<INodeProperties> = {},
): INodeProperties[] {
	const show = { inputMode: ['auto'] };
	const hide = { formId: [{ _cnd: { startsWith: '=' } }] };
	const notice = { type: 'notice', default: '' } as const;
	return [
		{ ...notice, displayName: rules, name, displayOptions: { ...displayOptions, show } },
		{
			...notice,
			displayName: FORM_PER_ROW_NOTICE,
			name: 'formNotice',
			displayOptions: { show, hide },
		},
	];
}

export const simplifyProperty: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};
