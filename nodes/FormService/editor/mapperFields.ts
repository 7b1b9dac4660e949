import type {
	FieldType,
	IDataObject,
	INodePropertyOptions,
	ResourceMapperField,
} from 'n8n-workflow';
import { parseInputFields } from '../api/answers/fields';
import type { InputField } from '../api/answers/fields';
import type { FieldKind } from '../api/answers/kinds';
import { toPlainText, makeUnique } from '../api/answers/names';
import { shortened } from '../api/errors';

/**
 * A field of the resource mapper. n8n keeps all of it with the node, so that Response: Create reads and
 * checks answers without another request for the fields.
 */
export type MapperField = ResourceMapperField & {
	/** The UUID of the field, or its ID if the service has no UUIDs. */
	uuid: string;
	/** The title of the field, by which errors and output name it. */
	label: string;
	sharedLabel?: string;
	customKey?: string;
	formId: string;
	kind: FieldKind;
};

/**
 * A form's fields as the resource mapper shows them: by label, and with a number if two fields share the
 * label. Headings and the like take no answer and are left out. A field of unknown kind takes text.
 *
 * n8n reports a missing or invalid answer by the `id`, so it is the label. It stays when a field is renamed,
 * because the editor drops what is mapped to an `id` that is gone.
 *
 * @param before the fields of this form that the mapper has loaded before
 */
export function toMapperFields(
	records: readonly IDataObject[],
	formId: string,
	before: readonly MapperField[] = [],
): MapperField[] {
	const fields = parseInputFields(records);
	const ids = mapperIds(fields, before);
	return fields.map((field, index) => {
		const { id: uuid, title, sharedLabel, customKey, kind, isRequired } = field;
		return {
			id: ids[index],
			uuid,
			displayName: toPlainText(title + detailOf(field) + adviceOn(field)),
			label: toPlainText(title),
			sharedLabel: sharedLabel && toPlainText(sharedLabel),
			customKey: customKey && toPlainText(customKey),
			formId,
			required: isRequired,
			kind,
			defaultMatch: false,
			canBeUsedToMatch: false,
			display: true,
			...widgetOf(field),
		};
	});
}

function mapperIds(fields: readonly InputField[], before: readonly MapperField[]): string[] {
	const known = fields.map(({ id }) => before.find((one) => (one.uuid ?? one.id) === id)?.id);
	const added = makeUnique(
		// the editor reads the ID out of `value["ID"]`
		fields
			.filter((_, index) => known[index] === undefined)
			.map(({ title }) => toPlainText(title.replaceAll('"', "'").trim())),
		known.filter((id) => id !== undefined),
	);
	return known.map((id) => id ?? added.shift()!);
}

/** The longest part of a description that is shown beside a label. */
const MAX_DETAIL = 40;

/** The description of a field that shares its label: it distinguishes the fields better than a number. */
function detailOf({ sharedLabel, description = '' }: InputField): string {
	const isNeeded = sharedLabel !== undefined && description !== '';
	return isNeeded ? `: ${shortened(description, MAX_DETAIL)}` : '';
}

/** What to enter, if the widget doesn't show it. */
function adviceOn(field: InputField): string {
	if (field.kind === 'file') return ' (file URL)';
	if (field.kind !== 'multipleChoice') return '';
	return offers(field).length > 0 ? ' (one or more)' : ' (comma-separated)';
}

const TYPES: Partial<Record<FieldKind, FieldType>> = {
	boolean: 'boolean',
	date: 'dateTime',
	file: 'url',
	number: 'number',
};

function widgetOf(field: InputField): { type: FieldType; options?: INodePropertyOptions[] } {
	const options = offers(field);
	if (options.length > 0) return { type: 'options', options };
	return { type: TYPES[field.kind] ?? 'string' };
}

/** The choices of a field as a list in the editor; n8n would evaluate a value that begins with "=". */
function offers({ kind, choices }: InputField): INodePropertyOptions[] {
	if (choices.some(({ value }) => typeof value === 'string' && toPlainText(value) !== value)) {
		return [];
	}
	return choices.map(({ name, value }, index) => ({
		name: toPlainText(name),
		value,
		...(kind === 'multipleChoice' && index === 0 && { description: SEVERAL }),
	}));
}

const SEVERAL = 'To choose several, switch to Expression and separate the choices with commas';
