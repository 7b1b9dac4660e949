import type {
	FieldType,
	IDataObject,
	INodePropertyOptions,
	ResourceMapperField,
} from 'n8n-workflow';
import { fieldKindOf, fieldLabelOf } from '../api/answers/fields';
import type { FieldKind } from '../api/answers/fields';
import { asPlainText, tellApart } from '../api/answers/labels';
import { shortened } from '../api/errors';
import { idOf, isId, isRecord, saysYes } from '../api/records';

/** What a field shows in the resource mapper: its widget, and the choices there are. */
type Kind = { type: FieldType; options?: INodePropertyOptions[] };

/**
 * A field of the resource mapper. n8n keeps all of it with the node, so that Response: Create can map
 * automatically without asking for the fields again.
 */
export type MapperField = ResourceMapperField & {
	/** The label by which an item's key is mapped to the field; several of one label are numbered. */
	label: string;
	/** An optional name that the form's author chose. */
	customKey?: string;
	formId: string;
};

/**
 * A form's fields as the resource mapper shows them: by label, told apart where two share one.
 * Headings and the like take no answer and are left out. Where the kind of a field is not certain,
 * it takes text.
 */
export function toMapperFields(fields: readonly IDataObject[], formId: string): MapperField[] {
	const answerable = fields.flatMap((field) => {
		const id = idOf(field);
		return isId(id) && fieldKindOf(field) !== 'layout' ? [{ id, field }] : [];
	});
	const labels = answerable.map(({ id, field }) => fieldLabelOf(field) ?? id);
	const names = tellApart(labels);
	return answerable.map(({ id, field }, index) => {
		const isAlone = labels.filter((label) => label === labels[index]).length === 1;
		const customKey = textOf(field.custom_key);
		return {
			id,
			displayName: asPlainText(names[index] + (isAlone ? '' : detailOf(field)) + adviceOn(field)),
			label: asPlainText(names[index]),
			...(customKey !== undefined && { customKey: asPlainText(customKey) }),
			formId,
			required: saysYes(field.required) || saysYes(field.mandatory),
			defaultMatch: false,
			canBeUsedToMatch: false,
			display: true,
			...kindOf(field),
		};
	});
}

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The longest part of a description that is shown beside a label. */
const MAX_DETAIL = 40;

/** What tells fields of one label apart better than a number. */
function detailOf(field: IDataObject): string {
	const text = textOf(field.description);
	return text === undefined ? '' : `: ${shortened(text, MAX_DETAIL)}`;
}

/** What to enter, where the widget does not show it. */
function adviceOn(field: IDataObject): string {
	const kind = fieldKindOf(field);
	if (kind === 'file') return ' (file URL)';
	const isMultiple = kind === 'multipleChoice' && Array.isArray(field.options);
	return isMultiple ? ' (choices, separated by commas)' : '';
}

const TYPES: Partial<Record<FieldKind, FieldType>> = {
	boolean: 'boolean',
	date: 'dateTime',
	file: 'url',
	number: 'number',
};

function kindOf(field: IDataObject): Kind {
	const kind = fieldKindOf(field);
	const type = TYPES[kind];
	if (type !== undefined) return { type };
	const options = kind === 'singleChoice' ? optionsOf(field) : [];
	return options.length > 0 ? { type: 'options', options } : { type: 'string' };
}

/** The choices of a field, or none when they cannot be made out, so that any answer can be given. */
function optionsOf(field: IDataObject): INodePropertyOptions[] {
	if (!Array.isArray(field.options)) return [];
	const options = (field.options as unknown[]).map(toOption);
	return options.every((option) => option !== undefined) ? options : [];
}

function toOption(option: unknown): INodePropertyOptions | undefined {
	const parts = isRecord(option)
		? [option.label ?? option.name ?? option.text, option.value ?? option.label ?? option.name]
		: [option, option];
	const [name, value] = parts;
	const isUsable =
		typeof value === 'number' || (typeof value === 'string' && isNotExpression(value));
	return isUsable ? { name: asPlainText(String(name ?? value)), value } : undefined;
}

/** A value that n8n would evaluate cannot be offered: it would not be sent as it stands. */
function isNotExpression(value: string): boolean {
	return asPlainText(value) === value;
}
