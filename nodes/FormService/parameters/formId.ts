import type { INode } from 'n8n-workflow';
import { getRequestFailure, ServiceError } from '../api/errors';
import { createFailure } from '../api/requestFailure';
import { isRecord, isUuid } from '../api/records';
import { isWebUrl } from '../api/url';

/**
 * Extracts the ID of a form from the value of the Form parameter in any mode, without blanks around it. In the
 * URL of a form's page, the ID follows `/f/`, `/form/` or `/forms/`, or is the last part of the path. Words can
 * stand before it: `https://host/f/some-words-aB3xY9`.
 */
export function extractFormId(value: string): string {
	const text = value.trim();
	if (!isWebUrl(text)) return text;
	const segments = new URL(text).pathname.split('/').filter((segment) => segment !== '');
	// in `/forms/aB3xY9/form/preview`, the first marker is followed by the ID
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
 * Removes the words before an ID: `some-words-f5d0c1e2a` → `f5d0c1e2a`. An ID has six letters and digits, or at
 * least five that are no word, because a digit or a capital is among the letters. The hyphens of a UUID belong to
 * the UUID.
 */
function removeWords(segment: string): string {
	const [, id] = /-([A-Za-z0-9]{5,})$/.exec(segment) ?? [];
	if (id === undefined || isUuid(segment)) return segment;
	const isWord = !/[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]/.test(id);
	return id.length === 6 || !isWord ? id : segment;
}

/**
 * Whether an expression sets a parameter, including a resource locator:
 * `{ mode: "id", value: "={{ $json.id }}" }`.
 */
export function isExpression({ parameters }: INode, name: string): boolean {
	const parameter: unknown = parameters[name];
	return String(isRecord(parameter) ? parameter.value : parameter).startsWith('=');
}

/** Returns the name that the editor has saved for a value from a list. Empty if the value was entered otherwise. */
export function getCachedResultName({ parameters }: INode, name: string, value: unknown): string {
	const locator: unknown = parameters[name];
	if (!isRecord(locator) || locator.mode !== 'list' || locator.value !== value) return '';
	return String(locator.cachedResultName ?? '');
}

/** The suffix of a closed form in the list. A name that ends in "(closed)" has no no-break space there. */
export const CLOSED_SUFFIX = '\u00a0(closed)';

/** Returns the name of the form that was chosen from the list. */
export function getSelectedFormName(node: INode, formId: string): string | undefined {
	const stored = getCachedResultName(node, 'formId', formId);
	return stored.replace(CLOSED_SUFFIX, '').replace(` (${formId})`, '').trim() || undefined;
}

/** Whether an error means that a form does not exist. False for a web page with the status 404. */
export function isFormNotFoundError(error: unknown): boolean {
	const { reason, noun } = getRequestFailure(error) ?? {};
	return reason === 'notFound' && noun === 'form';
}

/**
 * Creates the error for a form that does not exist. Names the form if it was chosen from the list, or listed
 * before.
 */
export function createFormNotFoundError(
	node: INode,
	formId: string,
	{ listedName, itemIndex }: { listedName?: string; itemIndex?: number } = {},
): ServiceError {
	const name = getSelectedFormName(node, formId) ?? listedName;
	const failure = createFailure('notFound', { noun: 'form', status: 404 });
	return new ServiceError(node, failure, describeFormNotFound(formId, name), itemIndex);
}

/** Describes a form that does not exist. */
export function describeFormNotFound(formId: string, name?: string) {
	const message =
		name === undefined
			? `There is no form with the ID ${formId}`
			: `The form "${name}" no longer exists`;
	const reasons = 'The form was deleted, or the access token belongs to another workspace.';
	return { message, description: `${reasons} Choose the form again.` };
}
