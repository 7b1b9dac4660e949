import { NodeApiError } from 'n8n-workflow';
import type { IDataObject, INode } from 'n8n-workflow';
import { getFormId, isId, isRecord } from '../api/records';
import { isWebUrl, parseUrl } from '../api/url';

/**
 * The ID in a text, such as the value of the Form parameter in any mode, without blanks around it. The URL
 * of a form's page has the ID behind `/f/`, `/form/` or `/forms/`, else in the last part of its path.
 */
export function extractFormId(given: string): string {
	const text = given.trim();
	if (!isWebUrl(text)) return text;
	const parts = new URL(text).pathname.split('/').filter((part) => part !== '');
	const place = parts.findLastIndex((part) => /^(f|forms?)$/i.test(part));
	return parts.at(place < 0 ? -1 : place + 1) ?? text;
}

/** Whether an expression gives the value of a parameter, also of one with modes. */
export function isExpression({ parameters }: INode, name: string): boolean {
	const given: unknown = parameters[name];
	return String(isRecord(given) ? given.value : given).startsWith('=');
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

/** Whether the service says that a form does not exist. A web page with the status 404 does not say so. */
export function isFormMissing(error: unknown): boolean {
	return error instanceof NodeApiError && error.message.startsWith('Form not found');
}

/** A form that does not exist; only one that was listed before has a name. */
export function describeUnknownForm(formId: string, name?: string) {
	const message =
		name === undefined
			? `There is no form with the ID ${formId}`
			: `The form "${name}" no longer exists`;
	const reasons = 'The form was deleted, or the access token belongs to another workspace.';
	return { message, description: `${reasons} Choose the form again.` };
}

/**
 * Explains a form that does not exist: it was chosen from the list and deleted since, its ID was read from a
 * URL, or its name, slug or address was given in place of its ID. Undefined if it is none of these.
 *
 * @param given the ID
 * @param forms the forms that exist, as far as they are known
 * @param entered the value of the Form parameter
 * @param baseUrl the base URL of the account
 */
export function describeMissingForm(
	node: INode,
	given: string,
	forms: readonly IDataObject[],
	entered: unknown,
	baseUrl: string,
): { message: string; description: string } | undefined {
	const chosen = getChosenName(node, given);
	if (chosen !== undefined) return describeUnknownForm(given, chosen);
	const wanted = given.toLowerCase();
	const named = forms.filter(({ name, slug, url }) =>
		[name, slug, url].some((one) => String(one).trim().toLowerCase() === wanted),
	);
	const [form, ...others] = named;
	if (others.length > 0) {
		return {
			message: `There is no form with the ID ${given}, but there are ${named.length} with that name`,
			description: `The forms with that name have the IDs ${named.map(getFormId).join(', ')}. Enter one of them.`,
		};
	}
	if (form !== undefined) {
		return {
			message: `There is no form with the ID ${given}, but there is one with that name`,
			description: `The ID of the form "${String(form.name ?? given)}" is ${getFormId(form)}. Enter that ID.`,
		};
	}
	const url = parseUrl(String(entered).trim());
	if (url === undefined || !isId(given)) return undefined;
	const place = new URL(baseUrl).origin;
	const problem = url.origin === place ? '' : `${url.origin} is not your Form Service, ${place}. `;
	return {
		message: `There is no form with the ID ${given}, which was read from ${url.origin}${url.pathname}`,
		description: `${problem}Choose the form from the list or enter its ID.`,
	};
}
