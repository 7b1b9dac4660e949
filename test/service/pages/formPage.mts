import type { Field, Form } from '../store.mts';
import { html, type Markup } from './html.mts';

const INPUT_TYPES: Partial<Record<Field['type'], string>> = {
	email: 'email',
	phone: 'tel',
	url: 'url',
	number: 'number',
	date: 'date',
	dropdown: 'radio',
	single_choice: 'radio',
	multiple_choice: 'checkbox',
	file_upload: 'url',
};

/** Sends what has been typed half a second after the last key, for forms that track incomplete responses. */
const SCRIPT = html`<script>
	const [form] = document.forms;
	let timer;
	const send = () =>
		fetch(form.action + '/partial', {
			method: 'POST',
			body: new URLSearchParams(new FormData(form)),
		});
	form.oninput = () => {
		clearTimeout(timer);
		timer = setTimeout(send, 500);
	};
	form.onsubmit = () => clearTimeout(timer);
</script>`;

function renderField(field: Field): Markup {
	const { uuid, label, type, options, description, mandatory } = field;
	const input = html`type="${INPUT_TYPES[type] ?? 'text'}" name="${uuid}"`;
	const required = mandatory && html`required`;
	const choices = options?.map(
		(option) => html`<br /><label><input ${input} value="${option}" /> ${option}</label>`,
	);
	if (choices) return html`<p>${label}${mandatory && ' *'} ${description} ${choices}</p>`;
	const control =
		type === 'textarea'
			? html`<textarea name="${uuid}" rows="5" cols="60" ${required}></textarea>`
			: html`<input ${input} size="60" step="any" ${required} />`;
	return html`<p>
		<label>${label}${mandatory && ' *'}<br />${control}</label> ${description}
	</p>`;
}

/** A form as a person fills it in. `draft` will be the UUID of the response, also while it is incomplete. */
export function renderForm(form: Form, fields: Field[], draft: string): Markup {
	const { settings, id, trackIncomplete } = form;
	return html`<p>${settings.description as string}</p>
		<form method="post" action="/f/${id}">
			<input type="hidden" name="draft" value="${draft}" />
			${fields.map(renderField)}
			<button>${String(settings.cta_label ?? 'Submit')}</button>
		</form>
		${trackIncomplete && SCRIPT}`;
}
