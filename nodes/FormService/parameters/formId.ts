import { compact } from 'lodash';
import type { INode } from 'n8n-workflow';
import { getRequestFailure, ServiceError } from '../api/errors';
import type { ErrorText } from '../api/errorTexts';
import { createFailure } from '../api/failures';
import { isRecord } from '../api/records';
import { isWebUrl } from '../api/url';

/**
 * Returns the ID of a form from the value of the Form parameter, which is an ID, or an address that ends
 * with the ID: `https://host/f/some-words-aB3xY9` → `aB3xY9`.
 */
export function extractFormId(value: string): string {
	const text = value.trim();
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

/** Returns the name that the editor saved when the user chose a value from a list, or else "". */
export function getCachedResultName({ parameters }: INode, name: string, value: unknown): string {
	const locator: unknown = parameters[name];
	if (!isRecord(locator) || locator.mode !== 'list' || locator.value !== value) return '';
	return String(locator.cachedResultName ?? '');
}

/** What the list adds to the name of a closed form. No name typed by a person ends with its no-break space. */
export const CLOSED_SUFFIX = '\u00a0(closed)';

/** Returns the name of the form. Undefined if the user has not chosen the form from the list. */
export function getSelectedFormName(node: INode, formId: string): string | undefined {
	const stored = getCachedResultName(node, 'formId', formId);
	return stored.replace(CLOSED_SUFFIX, '').replace(` (${formId})`, '').trim() || undefined;
}

/** Whether the API, and not a web page, replied that a form does not exist. */
export function isFormNotFoundError(error: unknown): boolean {
	const { reason, noun } = getRequestFailure(error) ?? {};
	return reason === 'notFound' && noun === 'form';
}

/**
 * Creates the error for a form that does not exist.
 *
 * @param listedName the name of the form in a list, for a form that the user entered by ID
 */
export function createFormNotFoundError(
	node: INode,
	formId: string,
	{ listedName, itemIndex }: { listedName?: string; itemIndex?: number } = {},
): ServiceError {
	const name = getSelectedFormName(node, formId) ?? listedName;
	const failure = createFailure('notFound', { noun: 'form', status: 404 });
	return new ServiceError(node, failure, createFormNotFoundText(formId, name), itemIndex);
}

/** Returns the texts of the error for a form that does not exist: `The form "Contact" no longer exists`. */
export function createFormNotFoundText(formId: string, name?: string): ErrorText {
	const message =
		name === undefined
			? `There is no form with the ID ${formId}`
			: `The form "${name}" no longer exists`;
	const reasons = 'The form was deleted, or the access token belongs to another workspace.';
	return { message, description: `${reasons} Choose the form again.` };
}
