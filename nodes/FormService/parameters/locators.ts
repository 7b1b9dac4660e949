import { compact } from 'lodash';
import type { INode, INodeProperties } from 'n8n-workflow';
import { getRequestFailure, ServiceError } from '../api/errors';
import { createFailure } from '../api/failures';
import { isId, isRecord } from '../api/records';
import { cleanText, isWebUrl } from '../api/text';
import { createNamedError, readLocator, type ParameterContext } from './parameterContext';

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

export function readFormId(input: ParameterContext): string {
	const id = extractFormId(readLocator(input, 'formId'));
	return checkId(input, id, 'formId', 'ID');
}

export function readResponseId(input: ParameterContext): string {
	const id = cleanText(readLocator(input, 'responseId'));
	return checkId(input, id, 'responseId', 'UUID');
}

function checkId(input: ParameterContext, id: string, name: string, kind: string): string {
	if (isId(id)) return id;
	const problem = id === '' ? 'is empty' : `is not a valid ${kind}`;
	throw createNamedError(input, name, problem, `Choose it from the list, or enter its ${kind}.`);
}

/**
 * Returns the ID of a form from the value of the Form parameter, which is an ID, or an address that ends
 * with the ID: `https://host/f/some-words-aB3xY9` → `aB3xY9`.
 */
export function extractFormId(value: string): string {
	const text = cleanText(value);
	if (!isWebUrl(text)) return text;
	const segments = compact(new URL(text).pathname.split('/'));
	const lastSegment = segments.at(-1) ?? '';
	return lastSegment.slice(lastSegment.lastIndexOf('-') + 1);
}

/** Whether an expression provides the value of a parameter, which can be a resource locator. */
export function isExpression({ parameters }: INode, name: string): boolean {
	const parameter: unknown = parameters[name];
	return String(isRecord(parameter) ? parameter.value : parameter).startsWith('=');
}

/** Returns the name that the editor saved. Undefined if the user has not chosen the form from the list. */
export function getSelectedFormName({ parameters }: INode, formId: string): string | undefined {
	const locator: unknown = parameters.formId;
	if (!isRecord(locator) || locator.mode !== 'list' || locator.value !== formId) return undefined;
	const saved = String(locator.cachedResultName ?? '');
	return saved.replace(` (${formId})`, '').trim() || undefined;
}

/** Whether the API, and not a web page, replied that a form does not exist. */
export function isFormNotFoundError(error: unknown): boolean {
	const { reason, noun } = getRequestFailure(error) ?? {};
	return reason === 'notFound' && noun === 'form';
}

/**
 * Creates the error for a form that does not exist: `The form "Contact" no longer exists`.
 *
 * @param listedName the name of the form in a list, for a form that the user entered by ID
 */
export function createFormNotFoundError(
	node: INode,
	formId: string,
	{ listedName, itemIndex }: { listedName?: string; itemIndex?: number } = {},
): ServiceError {
	const name = getSelectedFormName(node, formId) ?? listedName;
	const message =
		name === undefined
			? `There is no form with the ID ${formId}`
			: `The form "${name}" no longer exists`;
	const description =
		'The form was deleted, or the access token belongs to another workspace. Choose the form again.';
	const failure = createFailure('notFound', { noun: 'form', status: 404 });
	return new ServiceError(node, failure, { message, description }, itemIndex);
}
