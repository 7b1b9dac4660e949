import type { Account } from '../store/accounts.mts';
import type { Field, Form } from '../store/forms.mts';
import { fieldControl, type FieldState } from './fieldControl.mts';
import { html, Markup, type Page } from './layout.mts';

/**
 * Runs on the page of a form that tracks incomplete submissions: half a second after the last key, and when
 * the page is left, it sends what has been typed. Files are left for the submission itself.
 */
const partialScript = `
	const form = document.querySelector('form');
	let timer;
	let submitted = false;
	const send = () => {
		clearTimeout(timer);
		timer = undefined;
		const data = new FormData(form);
		for (const [key, value] of [...data]) if (typeof value !== 'string') data.delete(key);
		fetch(form.dataset.partial, { method: 'POST', body: new URLSearchParams(data), keepalive: true })
			.catch(() => {});
	};
	form.addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(send, 500);
	});
	form.addEventListener('submit', () => {
		submitted = true;
		clearTimeout(timer);
	});
	addEventListener('pagehide', () => {
		if (timer !== undefined && !submitted) send();
	});
`;

/** A form as a person fills it in. `states` by the UUID of the field. */
export function formPage(
	form: Form,
	fields: Field[],
	draft: string,
	states: Record<string, FieldState> = {},
): Page {
	const { settings, id, trackIncomplete } = form;
	const faulty = Object.values(states).some(({ fault }) => fault !== undefined);
	const heading = settings.show_formtitle && html`<h1>${settings.name as string}</h1>`;
	return {
		title: String(settings.name),
		status: faulty ? 422 : 200,
		content: html`${heading}
			${settings.description && html`<p>${settings.description as string}</p>`}
			${faulty && html`<p class="fault" role="alert">Please check the fields below.</p>`}
			<form
				method="post"
				action="/f/${id}"
				enctype="multipart/form-data"
				data-partial="/f/${id}/partial"
			>
				<input type="hidden" name="draft" value="${draft}" />
				${fields.map((field) => fieldControl(field, states[field.uuid] ?? { values: [] }))}
				${fields.some(({ mandatory }) => mandatory) && html`<p class="hint">* required</p>`}
				<button>${String(settings.cta_label ?? 'Submit')}</button>
			</form>`,
		...(trackIncomplete && { script: partialScript }),
	};
}

/** What a person sees after submitting: the form's own words, else the workspace's. */
export function thankYouPage({ settings }: Form, { workspace }: Account): Page {
	const message = settings.after_message ?? workspace.after_message;
	return {
		title: 'Thank you',
		content: html`<h1>Thank you</h1>
			<div role="status">
				${message ? new Markup(String(message)) : html`<p>Your response has been received.</p>`}
			</div>`,
	};
}

/** A form that takes no responses now, and why. */
export function closedPage({ settings }: Form, reason: string, status: number): Page {
	return {
		title: String(settings.name),
		status,
		content: html`<h1>${settings.name as string}</h1>
			<p>${reason}</p>`,
	};
}

/** There is no such page. */
export const notFoundPage: Page = {
	title: 'Not found',
	status: 404,
	content: html`<h1>Not found</h1>
		<p>There is nothing at this address. <a href="/">All forms</a></p>`,
};
