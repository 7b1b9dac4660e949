import type { Field } from '../store/forms.mts';
import { html, type Markup } from './layout.mts';

/** What a person has put into a field so far, and what is wrong with it. */
export type FieldState = { values: string[]; fault?: string };

const INPUT_TYPES: Partial<Record<Field['type'], string>> = {
	email: 'email',
	phone: 'tel',
	url: 'url',
	number: 'number',
	date: 'date',
	file_upload: 'file',
};

/** One field with its label, hint and fault, tied together for assistive technology. */
export function fieldControl(field: Field, { values, fault }: FieldState): Markup {
	const { uuid, label, description, mandatory } = field;
	const notes = [description && `hint-${uuid}`, fault && `fault-${uuid}`].filter(Boolean);
	const described = notes.length > 0 && html`aria-describedby="${notes.join(' ')}"`;
	const invalid = fault !== undefined && html`aria-invalid="true"`;
	const hint = description && html`<div class="hint" id="hint-${uuid}">${description}</div>`;
	const complaint = fault && html`<p class="fault" id="fault-${uuid}">${fault}</p>`;
	// HTML can require one radio button of a group, and one checkbox, but not one checkbox of a group
	const isUntold = field.type === 'multiple_choice';
	const telling = isUntold ? html`role="img" aria-label="required"` : html`aria-hidden="true"`;
	const star = mandatory && html` <span ${telling}>*</span>`;

	if (field.type === 'single_choice' || field.type === 'multiple_choice') {
		return html`<fieldset class="field" ${described}>
			<legend>${label}${star}</legend>
			${hint}${choices(field, values)}${complaint}
		</fieldset>`;
	}
	const required = mandatory && html`required`;
	const attributes = html`id="${uuid}" name="${uuid}" ${required} ${described} ${invalid}`;
	return html`<div class="field">
		<label for="${uuid}">${label}${star}</label>
		${hint}${control(field, attributes, values[0] ?? '')}${complaint}
	</div>`;
}

function control({ type, options }: Field, attributes: Markup, value: string): Markup {
	if (type === 'textarea') {
		return html`<textarea rows="5" ${attributes}>${value}</textarea>`;
	}
	if (type === 'dropdown') {
		const option = (text: string) =>
			html`<option value="${text}" ${text === value && html`selected`}>${text}</option>`;
		return html`<select ${attributes}>
			<option value=""></option>
			${options?.map(option)}
		</select>`;
	}
	const step = type === 'number' && html`step="any"`;
	return html`<input
		type="${INPUT_TYPES[type] ?? 'text'}"
		value="${value}"
		${step}
		${attributes}
	/>`;
}

function choices({ uuid, type, options, mandatory }: Field, values: string[]): Markup[] {
	const kind = type === 'single_choice' ? 'radio' : 'checkbox';
	const required = kind === 'radio' && mandatory && html`required`;
	return (options ?? []).map(
		(option) =>
			html`<label class="choice">
				<input
					type="${kind}"
					name="${uuid}"
					value="${option}"
					${values.includes(option) && html`checked`}
					${required}
				/>
				${option}
			</label>`,
	);
}
