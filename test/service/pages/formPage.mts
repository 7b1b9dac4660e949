import type { Field, Form } from '../store.mts';
import { html, Markup, type Page } from './html.mts';

/** What a person has entered into a field so far, and what is wrong with it. */
export type FieldState = { values: string[]; fault?: string };

const INPUT_TYPES: Partial<Record<Field['type'], string>> = {
	email: 'email',
	phone: 'tel',
	url: 'url',
	number: 'number',
	date: 'date',
	file_upload: 'file',
};

/** Sends what has been typed half a second after the last key, for forms that track incomplete responses. */
const PARTIAL_SCRIPT = `
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
`;

function renderField(field: Field, { values, fault }: FieldState): Markup {
	const { uuid, label, type, options, description, mandatory } = field;
	const star = mandatory && html` <span aria-hidden="true">*</span>`;
	const notes = html`${description && html`<div>${description}</div>`}
	${fault && html`<p class="fault">${fault}</p>`}`;
	const attributes = html`id="${uuid}" name="${uuid}" ${mandatory && html`required`}`;
	if (type === 'single_choice' || type === 'multiple_choice') {
		// HTML cannot require one checkbox of a group
		const kind = type === 'single_choice' ? html`radio` : html`checkbox`;
		const choices = options?.map(
			(option) =>
				html`<div>
					<label
						><input
							type="${kind}"
							name="${uuid}"
							value="${option}"
							${values.includes(option) && html`checked`}
						/>
						${option}</label
					>
				</div>`,
		);
		return html`<fieldset class="field">
			<legend>${label}${star}</legend>
			${choices}${notes}
		</fieldset>`;
	}
	let control = html`<input
		type="${INPUT_TYPES[type] ?? 'text'}"
		value="${values[0]}"
		${type === 'number' && html`step="any"`}
		${attributes}
	/>`;
	if (type === 'textarea') control = html`<textarea rows="5" ${attributes}>${values[0]}</textarea>`;
	if (type === 'dropdown') {
		const list = ['', ...(options ?? [])].map(
			(option) => html`<option ${option === values[0] && html`selected`}>${option}</option>`,
		);
		control = html`<select ${attributes}>
			${list}
		</select>`;
	}
	return html`<div class="field">
		<label for="${uuid}">${label}${star}</label>${control}${notes}
	</div>`;
}

/** A form as a person fills it in; `states` by the UUID of the field. */
export function formPage(
	{ settings, id, trackIncomplete }: Form,
	fields: Field[],
	draft: string,
	states: Record<string, FieldState> = {},
): Page {
	const isFaulty = Object.values(states).some(({ fault }) => fault !== undefined);
	const controls = fields.map((field) => renderField(field, states[field.uuid] ?? { values: [] }));
	return {
		title: String(settings.name),
		status: isFaulty ? 422 : 200,
		content: html`<h1>${String(settings.name)}</h1>
			<p>${settings.description as string}</p>
			${isFaulty && html`<p role="alert">Please check the fields below.</p>`}
			<form method="post" action="/f/${id}" enctype="multipart/form-data">
				<input type="hidden" name="draft" value="${draft}" />
				${controls}
				<button>${String(settings.cta_label ?? 'Submit')}</button>
			</form>`,
		...(trackIncomplete && { script: PARTIAL_SCRIPT }),
	};
}
