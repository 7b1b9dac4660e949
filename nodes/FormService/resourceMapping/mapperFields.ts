import type {
	FieldType,
	IDataObject,
	INodePropertyOptions,
	ResourceMapperField,
} from 'n8n-workflow';
import { asPlainText, tellApart } from '../api/answers/labels';
import { identityOf, isRecord } from '../api/records';

/** Kinds of fields by the words that services use for them; the specification does not list them. */
const LAYOUT = /^(heading|headline|divider|spacer|html|page_?break|section_?break)$/;
const FILE = /file|upload|attachment/;
const DATE = /^date([-_]?time(-local)?)?$/;
const NUMBER = /^(number|numeric|integer|int|decimal|float|rating|scale|slider|nps)$/;
const BOOLEAN = /^(bool|boolean|toggle|switch|yes_?no)$/;
const SINGLE_CHOICE = /^(select|dropdown|drop_down|radio|radios|choice|single_choice)$/;

/** Services say true in several ways; the specification has 1 for it too (section 4, rule 5). */
const TRUE = new Set<unknown>([true, 1, 'true', '1']);

/** What a field shows in the resource mapper: its widget, and the choices there are. */
type Kind = { type: FieldType; options?: INodePropertyOptions[] };

/**
 * A form's fields as the resource mapper shows them: by label, told apart where two share one.
 * Headings and the like take no answer and are left out. Where the kind of a field is not certain,
 * it takes text.
 */
export function toMapperFields(fields: readonly IDataObject[]): ResourceMapperField[] {
	const answerable = fields.flatMap((field) => {
		const id = identityOf(field);
		return id === undefined || LAYOUT.test(typeOf(field)) ? [] : [{ id, field }];
	});
	const names = tellApart(answerable.map(({ id, field }) => labelOf(field) ?? id));
	return answerable.map(({ id, field }, index) => ({
		id,
		displayName: asPlainText(names[index]),
		required: TRUE.has(field.required) || TRUE.has(field.mandatory),
		defaultMatch: false,
		canBeUsedToMatch: false,
		display: true,
		...kindOf(field),
	}));
}

function typeOf(field: IDataObject): string {
	return typeof field.type === 'string' ? field.type.toLowerCase() : '';
}

function labelOf(field: IDataObject): string | undefined {
	return [field.label, field.name].find(
		(label): label is string => typeof label === 'string' && label.trim() !== '',
	);
}

function kindOf(field: IDataObject): Kind {
	const type = typeOf(field);
	if (FILE.test(type)) return { type: 'url' };
	if (DATE.test(type)) return { type: 'dateTime' };
	if (NUMBER.test(type)) return { type: 'number' };
	if (BOOLEAN.test(type)) return { type: 'boolean' };
	const options = SINGLE_CHOICE.test(type) && field.multiple !== true ? optionsOf(field) : [];
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
