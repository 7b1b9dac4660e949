import type { INodeParameters } from 'n8n-workflow';
import { demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { mapped } from './brokenInput.mts';

/**
 * An operation whose value comes from the item, a value that it takes and one that it does not.
 * `<field>` in any of these stands for the UUID of a field of the form.
 */
export type Checked = {
	name: string;
	parameters: INodeParameters;
	good: string | number | boolean;
	bad: string | number;
	message: RegExp;
};

/** What an item brings, or an expression that throws for the item that asks for it. */
const value = "{{ $json.value === 'throw' ? $('No such node').first().json.x : $json.value }}";
const expression = `=${value}`;
const form = locator(demoForms.contact);

/** The response that the operations on one response ask for. */
export const responseId = '9f000000-0000-4000-8000-000000000000';

export const operations: Checked[] = [
	{
		name: 'Workspace: Get',
		parameters: { resource: 'workspace', operation: 'get', simplify: expression },
		good: false,
		bad: 'perhaps',
		message: /^'Simplify' must be true or false$/,
	},
	{
		name: 'Form: Get Many',
		parameters: { resource: 'form', operation: 'getAll', limit: expression },
		good: 1,
		bad: 0,
		message: /^'Limit' must be a whole number of at least 1$/,
	},
	{
		name: 'Form: Get',
		parameters: { resource: 'form', operation: 'get', formId: locator(expression) },
		good: demoForms.contact,
		bad: '../workspace',
		message: /^'Form' is not a valid ID$/,
	},
	{
		name: 'Field: Get Many',
		parameters: { resource: 'field', operation: 'getAll', formId: locator(expression) },
		good: demoForms.contact,
		bad: 'a/b',
		message: /^'Form' is not a valid ID$/,
	},
	{
		name: 'Response: Create from JSON',
		parameters: {
			resource: 'response',
			operation: 'create',
			formId: form,
			inputMode: 'json',
			answersJson: expression,
		},
		good: '{"<field>": "An answer"}',
		bad: '{"<field>": {"deep": 1}}',
		message: /must be text, a number, a date or a list, not an object/,
	},
	{
		name: 'Response: Create from fields',
		parameters: {
			resource: 'response',
			operation: 'create',
			formId: form,
			inputMode: 'fields',
			fields: mapped('<field>', 'Question', expression),
		},
		good: 'An answer',
		bad: '',
		message: /^"Question" is required$/,
	},
	{
		name: 'Response: Get',
		parameters: { resource: 'response', operation: 'get', formId: form, responseId: expression },
		good: responseId,
		bad: '%2e%2e',
		message: /^'Response' is not a valid ID$/,
	},
	{
		name: 'Response: Get Many',
		parameters: {
			resource: 'response',
			operation: 'getAll',
			formId: form,
			limit: 1,
			status: expression,
		},
		good: 'all',
		bad: 'some',
		message: /^'Status' must be one of all, complete, incomplete$/,
	},
	{
		name: 'Response: Get PDF',
		parameters: { resource: 'response', operation: 'getPdf', responseId: expression },
		good: responseId,
		bad: 'x'.repeat(10_000),
		message: /^'Response' is not a valid ID$/,
	},
	{
		name: 'Settings: Update from fields',
		parameters: {
			resource: 'settings',
			operation: 'update',
			formId: form,
			settings: { responses_limit: expression },
		},
		good: 5,
		bad: 0,
		message: /^'Responses Limit' must be a whole number/,
	},
	{
		name: 'Settings: Update from JSON',
		parameters: {
			resource: 'settings',
			operation: 'update',
			formId: form,
			inputMode: 'json',
			settingsJson: expression,
		},
		good: '{"seo_title": "Title"}',
		bad: '{"colour": "red"}',
		message: /^'colour' is not a setting that can be updated$/,
	},
];
