import type { Field, Form } from '../store.mts';
import { html, Markup } from './html.mts';

const INPUT_TYPES: Partial<Record<Field['type'], string>> = {
	email: 'email',
	phone: 'tel',
	url: 'url',
	number: 'number',
	date: 'date',
	single_choice: 'radio',
	multiple_choice: 'checkbox',
	file_upload: 'file',
};

/** Sends what has been typed half a second after the last key, for forms that track incomplete responses. */
const PARTIAL_SCRIPT = new Markup(`<script>
	const form = document.querySelector('form');
	let timer;
	form.addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(() => {
			const data = new FormData(form);
			for (const [key, value] of [...data]) if (typeof value !== 'string') data.delete(key);
			const request = { method: 'POST', body: new URLSearchParams(data), keepalive: true };
			fetch(form.action + '/partial', request).catch(() => {});
		}, 500);
	});
	form.addEventListener('submit', () => clearTimeout(timer));
</script>`);

function renderControl({ uuid, type, options, mandatory }: Field): Markup {
	const attributes = html`id="${uuid}" name="${uuid}" ${mandatory && html`required`}`;
	if (type === 'textarea') return html`<textarea rows="5" ${attributes}></textarea>`;
	if (type === 'dropdown') {
		const list = ['', ...(options ?? [])].map((option) => html`<option>${option}</option>`);
		return html`<select ${attributes}>
			${list}
		</select>`;
	}
	return html`<input type="${INPUT_TYPES[type] ?? 'text'}" step="any" ${attributes} />`;
}

function renderField(field: Field): Markup {
	const { uuid, label, type, options, description, mandatory } = field;
	const name = html`<strong>${label}</strong>${mandatory && ' *'}`;
	const note = description && html`<div>${description}</div>`;
	if (type !== 'single_choice' && type !== 'multiple_choice') {
		return html`<div class="field">
			<label for="${uuid}">${name}</label>${renderControl(field)}${note}
		</div>`;
	}
	const choices = options?.map((option) => {
		const input = html`<input type="${INPUT_TYPES[type]}" name="${uuid}" value="${option}" />`;
		return html`<div>
			<label>${input} ${option}</label>
		</div>`;
	});
	return html`<fieldset class="field">
		<legend>${name}</legend>
		${choices}${note}
	</fieldset>`;
}

/** A form as a person fills it in. `draft` is what the page calls the submission while it is being typed. */
export function renderForm(form: Form, fields: Field[], draft: string): Markup {
	const { settings, id, trackIncomplete } = form;
	return html`<p>${settings.description as string}</p>
		<form method="post" action="/f/${id}" enctype="multipart/form-data">
			<input type="hidden" name="draft" value="${draft}" />
			${fields.map(renderField)}
			<button>${String(settings.cta_label ?? 'Submit')}</button>
		</form>
		${trackIncomplete && PARTIAL_SCRIPT}`;
}
