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

/** A form as a person fills it in. */
export function renderForm({ settings, id }: Form, fields: Field[]): Markup {
	return html`<p>${settings.description as string}</p>
		<form method="post" action="/f/${id}">
			${fields.map(renderField)}
			<button>${String(settings.cta_label ?? 'Submit')}</button>
		</form>`;
}
