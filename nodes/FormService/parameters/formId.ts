import type { INode } from 'n8n-workflow';
import { getRequestFailure, ServiceError } from '../api/errors';
import type { ErrorText } from '../api/errorTexts';
import { createFailure } from '../api/requestFailure';
import { isRecord, isUuid } from '../api/records';
import { isWebUrl } from '../api/url';

/**
 * Returns the ID of a form from the value of the Form parameter, which is an ID or the URL of a form's page. In
 * a URL, the ID follows `/f/`, `/form/` or `/forms/`, or is the last part of the path. Words before the ID are
 * removed: `https://host/f/some-words-aB3xY9` → `aB3xY9`.
 */
export function extractFormId(value: string): string {
	const text = value.trim();
	if (!isWebUrl(text)) return text;
	const segments = new URL(text).pathname.split('/').filter((segment) => segment !== '');
	// the ID follows the first marker in `/forms/aB3xY9/form/preview`, and the second marker in `/forms/f/aB3xY9`
	const markerIndex = segments.findIndex(
		(segment, index) => isMarker(segment) && !isMarker(segments[index + 1] ?? ''),
	);
	const segment = segments.at(markerIndex < 0 ? -1 : markerIndex + 1);
	return segment === undefined ? text : removeWords(segment);
}

function isMarker(segment: string): boolean {
	return /^(f|forms?)$/i.test(segment);
}

/**
 * Removes the words before an ID: `some-words-f5d0c1e2a` → `f5d0c1e2a`. The part after the last hyphen is an ID
 * in two cases:
 *
 * - The part has exactly six letters and digits.
 * - The part has at least five letters and digits, and contains a digit next to a letter, or an uppercase
 *   letter after a lowercase letter.
 *
 * Returns a UUID and any other string unchanged.
 */
function removeWords(segment: string): string {
	const [, id] = /-([A-Za-z0-9]{5,})$/.exec(segment) ?? [];
	if (id === undefined || isUuid(segment)) return segment;
	const isWord = !/[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]/.test(id);
	return id.length === 6 || !isWord ? id : segment;
}

/**
 * Whether an expression provides the value of a parameter. The parameter can be a resource locator:
 * `{ mode: "id", value: "={{ $json.id }}" }`.
 */
export function isExpression({ parameters }: INode, name: string): boolean {
	const parameter: unknown = parameters[name];
	return String(isRecord(parameter) ? parameter.value : parameter).startsWith('=');
}

/**
 * Returns the name that the editor saved when the user chose a value from a list. Returns an empty string if
 * the user entered the value.
 */
export function getCachedResultName({ parameters }: INode, name: string, value: unknown): string {
	const locator: unknown = parameters[name];
	if (!isRecord(locator) || locator.mode !== 'list' || locator.value !== value) return '';
	return String(locator.cachedResultName ?? '');
}

/**
 * The text after the name of a closed form in the list. The no-break space distinguishes this text from the end
 * of a name such as "Shop (closed)".
 */
export const CLOSED_SUFFIX = '\u00a0(closed)';

/** Returns the name of the form if the user chose the form from the list. Undefined if the user entered the ID. */
export function getSelectedFormName(node: INode, formId: string): string | undefined {
	const stored = getCachedResultName(node, 'formId', formId);
	return stored.replace(CLOSED_SUFFIX, '').replace(` (${formId})`, '').trim() || undefined;
}

/**
 * Whether an error means that a form does not exist. False if a web page, and not the API, replied with the
 * status 404.
 */
export function isFormNotFoundError(error: unknown): boolean {
	const { reason, noun } = getRequestFailure(error) ?? {};
	return reason === 'notFound' && noun === 'form';
}

/**
 * Creates the error for a form that does not exist. The message has the name of the form if the user chose the
 * form from the list, or if `listedName` has the name.
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

/** Returns the message and the description for a form that does not exist: `The form "Contact" no longer exists`. */
export function createFormNotFoundText(formId: string, name?: string): ErrorText {
	const message =
		name === undefined
			? `There is no form with the ID ${formId}`
			: `The form "${name}" no longer exists`;
	const reasons = 'The form was deleted, or the access token belongs to another workspace.';
	return { message, description: `${reasons} Choose the form again.` };
}
