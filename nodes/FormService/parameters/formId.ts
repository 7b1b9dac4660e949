import { NodeApiError, type INode } from 'n8n-workflow';
import { isRecord } from '../api/records';
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

/** Removes the words before an ID of six letters and digits. The hyphens of a UUID belong to it. */
function removeWords(segment: string): string {
	const [, id] = /-([A-Za-z0-9]{6})$/.exec(segment) ?? [];
	return id ?? segment;
}

/** Whether an expression gives the value of a parameter, also of one with modes. */
export function isExpression({ parameters }: INode, name: string): boolean {
	const given: unknown = parameters[name];
	return String(isRecord(given) ? given.value : given).startsWith('=');
}

/** What the editor has saved as the name of a value that was chosen from a list. */
export function getCachedResultName({ parameters }: INode, name: string, value: unknown): string {
	const locator: unknown = parameters[name];
	if (!isRecord(locator) || locator.mode !== 'list' || locator.value !== value) return '';
	return String(locator.cachedResultName ?? '');
}

/** What the list has behind the name of a closed form; no name ends in a blank that does not break. */
export const CLOSED_SUFFIX = '\u00a0(closed)';

/** The name of the form that was chosen from the list. */
export function getSelectedFormName(node: INode, formId: string): string | undefined {
	const stored = getCachedResultName(node, 'formId', formId);
	return stored.replace(CLOSED_SUFFIX, '').replace(` (${formId})`, '').trim() || undefined;
}

/** Whether the service says that a form does not exist. A web page with the status 404 does not say so. */
export function isFormNotFoundError(error: unknown): error is NodeApiError {
	return error instanceof NodeApiError && error.message.startsWith('Form not found');
}

/** A form that does not exist; only one that was chosen from the list, or listed before, has a name. */
export function describeFormNotFound(formId: string, name?: string) {
	const message =
		name === undefined
			? `There is no form with the ID ${formId}`
			: `The form "${name}" no longer exists`;
	const reasons = 'The form was deleted, or the access token belongs to another workspace.';
	return { message, description: `${reasons} Choose the form again.` };
}
