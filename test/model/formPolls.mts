import type { ListedForm, Shown } from './form.mts';
import type { Outcome } from './n8n.mts';
import type { Sent } from './service.mts';

/** What a poll was shown of one form. */
export type FormPoll = {
	form: string;
	responses: Shown[];
	/** Whether it was shown the whole listing, from the first page to the last. */
	complete: boolean;
	/** Whether a request for it failed. */
	hasFailed: boolean;
	/** When the last reply came. */
	at: number;
};

/** What a poll was shown of the list of forms. */
export type List = { forms: ListedForm[]; complete: boolean; hasFailed: boolean };

type Page = { offset: number; shown: number; isLast: boolean };

/** Whether pages, in this order, are a whole list from its beginning to its end. */
function isWhole(pages: ReadonlyArray<Page | undefined>): boolean {
	let next: number | undefined;
	for (const page of pages) {
		const { offset, shown, isLast } = page ?? { offset: -1, shown: 0, isLast: false };
		if (offset === 0 || offset === next) next = offset + shown;
		else next = undefined;
		if (next !== undefined && isLast) return true;
	}
	return false;
}

/** The forms whose responses a poll asked for, in the order in which it did. */
export function formPollsOf({ sent }: Pick<Outcome, 'sent'>): FormPoll[] {
	const ofResponses = sent.filter((one) => one.of === 'responses');
	return [...Map.groupBy(ofResponses, ({ form }) => form)].map(([form, requests]) => {
		return {
			form,
			responses: requests.flatMap(({ page }) => page?.shown ?? []),
			complete: isWhole(requests.map(({ page }) => page && { ...page, shown: page.shown.length })),
			hasFailed: requests.some(({ isGood }) => !isGood),
			at: Math.max(...requests.map(({ endedAt }) => endedAt)),
		};
	});
}

/** The list of forms; undefined where it was not asked for. */
export function listOf({ sent }: Pick<Outcome, 'sent'>): List | undefined {
	const requests = sent.filter((one) => one.of === 'forms');
	if (requests.length === 0) return undefined;
	return {
		forms: requests.flatMap(({ page }) => page?.forms ?? []),
		complete: isWhole(
			requests.map(({ page, offset }) => page && { ...page, offset, shown: page.forms.length }),
		),
		hasFailed: requests.some(({ isGood }) => !isGood),
	};
}

/** The forms whose fields a poll asked for, and those of them that it did not get. */
export function fieldsOf({ sent }: Pick<Outcome, 'sent'>): { asked: string[]; failed: string[] } {
	const requests: Array<Sent & { of: 'fields' }> = sent.filter((one) => one.of === 'fields');
	return {
		asked: requests.map(({ form }) => form),
		failed: requests.filter(({ isGood }) => !isGood).map(({ form }) => form),
	};
}
