import type { Shown } from './form.mts';

/** What a poll read of one form, as one listing. */
export type Look = {
	form: string;
	responses: Shown[];
	complete: boolean;
	/** It was not cut: the trigger wanted no more. */
	isShort: boolean;
};

/** One list that a poll read. */
type List = {
	responses: Shown[];
	/** It was read to its end, was enough before, or was cut by time or allowance. */
	end: 'complete' | 'enough' | 'cut';
	/** Of the incomplete responses alone. */
	isIncomplete: boolean;
	/** It began with a later page than the first. */
	isOfEnd: boolean;
};

/** Collects the lists of one poll: a look at a form can take several. */
export class Looks {
	private readonly byForm = new Map<string, Look>();
	private readonly incomplete = new Map<string, Shown[]>();

	get all(): Look[] {
		return [...this.byForm.values()];
	}

	/** A list is asked for; what an earlier one showed is read again where it is all of the form's. */
	begin(form: string, { isIncomplete, isOfEnd }: Pick<List, 'isIncomplete' | 'isOfEnd'>): void {
		if (!isIncomplete && !isOfEnd) this.byForm.delete(form);
	}

	took(form: string, { responses, end, isIncomplete, isOfEnd }: List): void {
		if (isIncomplete) {
			this.incomplete.set(form, responses);
			this.byForm.get(form)?.responses.push(...responses);
			return;
		}
		const isShort = end === 'enough' || (isOfEnd && end === 'complete');
		const others = isShort ? (this.incomplete.get(form) ?? []) : [];
		const complete = end === 'complete' && !isShort;
		this.byForm.set(form, { form, responses: [...responses, ...others], complete, isShort });
	}
}
