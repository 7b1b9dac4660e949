import type { IDataObject, INode } from 'n8n-workflow';
import { getFormId, isRecord } from '../api/records';
import { isWebUrl } from '../api/url';

/**
 * The ID that the Form parameter gives, whatever its mode is. The URL of a form's page has the ID behind
 * `/f/`, `/form/` or `/forms/`, else in the last part of its path.
 */
export function extractFormId(given: string): string {
	if (!isWebUrl(given)) return given;
	const parts = new URL(given).pathname.split('/').filter((part) => part !== '');
	const place = parts.findLastIndex((part) => /^(f|forms?)$/i.test(part));
	return parts.at(place < 0 ? -1 : place + 1) ?? given;
}

/** What the editor has saved as the name of a value that was chosen from a list. */
export function getStoredName({ parameters }: INode, name: string, value: unknown): string {
	const locator: unknown = parameters[name];
	if (!isRecord(locator) || locator.mode !== 'list' || locator.value !== value) return '';
	return String(locator.cachedResultName ?? '');
}

/** What the list has behind the name of a closed form; no name ends in a blank that does not break. */
export const CLOSED_MARK = '\u00a0(closed)';

/** The name of the form that was chosen from the list. */
export function getChosenName(node: INode, formId: string): string | undefined {
	const stored = getStoredName(node, 'formId', formId);
	return stored.replace(CLOSED_MARK, '').replace(` (${formId})`, '').trim() || undefined;
}

/**
 * Explains a form that does not exist: it was chosen from the list and deleted since, or its name, slug or
 * address was given in place of its ID. Undefined if it is neither.
 *
 * @param forms the forms that exist, as far as they are known
 */
export function describeMissingForm(
	node: INode,
	given: string,
	forms: readonly IDataObject[],
): { message: string; description: string } | undefined {
	const chosen = getChosenName(node, given);
	if (chosen !== undefined) {
		return {
			message: `The form "${chosen}" no longer exists`,
			description:
				'The form was deleted after it was chosen, or the access token belongs to another workspace. Choose the form again.',
		};
	}
	const wanted = given.toLowerCase();
	const form = forms.find(({ name, slug, url }) =>
		[name, slug, url].some((one) => String(one).trim().toLowerCase() === wanted),
	);
	return (
		form && {
			message: `There is no form with the ID ${given}, but there is one with that name`,
			description: `The ID of the form "${String(form.name ?? given)}" is ${getFormId(form)}. Enter that ID.`,
		}
	);
}
