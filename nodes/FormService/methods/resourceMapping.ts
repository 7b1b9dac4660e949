import type { IDataObject, ResourceMapperField } from 'n8n-workflow';
import { findNamesakes, parseInputFields } from '../api/answers/fields';
import type { InputField } from '../api/answers/fields';
import { kinds } from '../api/answers/kinds';
import type { Kind } from '../api/answers/kinds';
import { makeUnique, toPlainText } from '../api/answers/names';
import { shortenText } from '../api/errors';

/**
 * A field of the resource mapper. n8n keeps all of it with the node, so Response: Create knows the UUID of
 * each answer even after the field was renamed.
 */
export type MapperField = ResourceMapperField & {
	/** The UUID of the field, or its ID if the service has no UUIDs. */
	uuid: string;
	/** The title of the field, by which errors and output name it. */
	label: string;
	formId: string;
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
	const ids = makeIds(fields, before);
	const names = makeUnique(fields.map(describeField));
	return fields.map((field, index) => {
		const { uuid, title, isRequired } = field;
		return {
			id: ids[index],
			uuid,
			displayName: toPlainText(names[index]),
			label: toPlainText(title),
			formId,
			required: isRequired,
			defaultMatch: false,
			canBeUsedToMatch: false,
			display: true,
			...getWidget(field),
		};
	});
}

function makeIds(fields: readonly InputField[], before: readonly MapperField[]): string[] {
	const known = fields.map((field) => before.find(({ uuid }) => uuid === field.uuid)?.id);
	const added = makeUnique(
		// the editor reads the ID out of `value["ID"]`
		fields
			.filter((_, index) => known[index] === undefined)
			.map(({ title }) => toPlainText(title.replaceAll('"', "'").trim())),
		known.filter((id) => id !== undefined),
	);
	return known.map((id) => id ?? added.shift()!);
}

/** The longest part of a description that is shown behind a label. */
const MAX_DETAIL = 40;

/**
 * The label, since the editor cuts the end, with what to enter, and with the description of a field that shares
 * its label, which distinguishes the fields better than a number.
 */
function describeField(field: InputField, _: number, fields: readonly InputField[]): string {
	const { kind, title, sentLabel = '', description } = field;
	const { hint }: Kind = kinds[kind];
	const namesakes = findNamesakes(field, fields);
	const detail = namesakes.length > 1 && description && shortenText(description, MAX_DETAIL);
	const details = [detail, hint].filter(Boolean).join(', ');
	return `${(detail && sentLabel.trim()) || title}${details === '' ? '' : ` (${details})`}`;
}

function getWidget({ kind, choices }: InputField) {
	const { widget: type } = kinds[kind];
	// n8n would evaluate a value that begins with "="
	const values = choices.map(({ value }) => String(value));
	if (choices.length === 0 || values.some((value) => toPlainText(value) !== value)) return { type };
	const options = choices.map(({ name, value }) => ({ name: toPlainText(name), value }));
	if (kind !== 'multipleChoice') return { type: 'options' as const, options };
	const [first, ...others] = options;
	return { type: 'options' as const, options: [{ ...first, description: SEVERAL }, ...others] };
}

const SEVERAL = 'To choose several, switch to Expression and separate the choices with commas';
