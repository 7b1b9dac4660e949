import { isResourceLocatorValue, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, INode } from 'n8n-workflow';
import { getFormId, MAX_ID_LENGTH } from '../api/records';
import { isWebUrl } from '../api/url';

/**
 * Where the URL of a form's page has the form's ID: behind `/f/`, `/form/` or `/forms/`, else in the last
 * part of the path.
 */
const FORM_IN_URL = [
	/^https?:\/\/[^?#]*\/(?:f|forms?)\/([\w-]+)(?:[/?#].*)?$/i,
	/^https?:\/\/[^?#]*\/([\w-]+)\/?(?:[?#].*)?$/i,
];

/** What errors say of an invalid ID. */
export const WHAT_AN_ID_IS = `An ID has 1 to ${MAX_ID_LENGTH} letters, digits, hyphens and underscores.`;

/** The Form parameter of an item has no ID. */
export class InvalidFormId extends NodeOperationError {
	/** Both n8n and its editor recognize an error by this name, not by its class. */
	override name = 'NodeOperationError';

	/** @param given the text that was given in place of the ID */
	constructor(
		node: INode,
		message: string,
		readonly given: string,
		itemIndex: number | undefined,
	) {
		const description = `${findAdvice(given)} ${WHAT_AN_ID_IS}`;
		super(node, message, { description, itemIndex, failure: { cause: 'configuration-invalid' } });
	}
}

/** The ID that the Form parameter gives, also from the URL of the form's page, whatever the mode is. */
export function extractFormId(given: string): string {
	if (!isWebUrl(given)) return given;
	return FORM_IN_URL.reduce((text, pattern) => text.replace(pattern, '$1'), given);
}

function findAdvice(text: string): string {
	if (isWebUrl(text)) {
		return "This URL does not contain a form's ID. Choose the form from the list or enter its ID.";
	}
	if (isFormName(text)) {
		return "This looks like a form's name. Choose the form from the list or enter its ID.";
	}
	return 'Choose a form from the list or enter its ID.';
}

/** Whether an invalid ID can be the name of a form: several words of letters and digits. */
export function isFormName(text: string): boolean {
	const areWords = /^[\p{L}\p{N}&?!.,'-]+( [\p{L}\p{N}&?!.,'-]+)+$/u;
	return text.length <= MAX_ID_LENGTH && areWords.test(text) && /\p{L}{3}/u.test(text);
}

/** What the list has behind the name of a closed form; no name ends in a blank that does not break. */
export const CLOSED_MARK = '\u00a0(closed)';

/** The name of the form that was chosen from the list, which the editor has saved with the node. */
export function getChosenName(node: INode, formId: string): string | undefined {
	const { formId: given } = node.parameters;
	const isChosen = isResourceLocatorValue(given) && given.mode === 'list' && given.value === formId;
	const shown = isChosen ? String(given.cachedResultName ?? '') : '';
	const name = shown.replace(CLOSED_MARK, '').replace(` (${formId})`, '').trim();
	return name === '' ? undefined : name;
}

/**
 * The texts of an error about a form that does not exist.
 *
 * @param forms the existing forms, if they are known: if the name, slug or address of one of them was given
 * in place of its ID, the error names the ID
 */
export function describeMissingForm(
	node: INode,
	formId: string,
	forms: Iterable<IDataObject> = [],
): { message: string; description: string } {
	const chosen = getChosenName(node, formId);
	if (chosen !== undefined) {
		return {
			message: `The form "${chosen}" no longer exists`,
			description:
				'The form was deleted after it was chosen, or the access token belongs to another workspace. Choose the form again.',
		};
	}
	const meant = findFormByName(formId, forms);
	const id = meant === undefined ? undefined : getFormId(meant);
	if (id !== undefined) {
		return {
			message: `There is no form with the ID ${formId}, but there is one with that name`,
			description: `The ID of the form "${String(meant?.name ?? id)}" is ${id}. Enter that ID.`,
		};
	}
	return {
		message: `There is no form with the ID ${formId}`,
		description:
			'Check the ID, and that the access token belongs to the workspace of the form. Form: Get Many lists all forms.',
	};
}

/** The form whose name, slug or address was given in place of its ID. */
export function findFormByName(
	given: string,
	forms: Iterable<IDataObject>,
): IDataObject | undefined {
	const wanted = given.trim().toLowerCase();
	return [...forms].find(({ name, slug, url }) =>
		[name, slug, url].some((one) => typeof one === 'string' && one.trim().toLowerCase() === wanted),
	);
}
