import { isWebAddress } from '../specification/settingsRules.mts';
import type { Answer, Answers, Field, Store } from '../store.mts';

/** The texts that a page sent for a field. */
export const readTexts = (submitted: FormData, { uuid }: Field): string[] =>
	submitted.getAll(uuid).filter((value) => typeof value === 'string');

const readFiles = (submitted: FormData, { uuid }: Field): File[] =>
	submitted.getAll(uuid).filter((value) => typeof value !== 'string' && value.size > 0) as File[];

/** What is wrong with a submitted field; undefined if nothing is. */
export function findFault(submitted: FormData, field: Field): string | undefined {
	const { type, options, mandatory } = field;
	const texts = readTexts(submitted, field).filter((text) => text.trim() !== '');
	if (texts.length === 0 && readFiles(submitted, field).length === 0) {
		return mandatory ? 'Please fill in this field.' : undefined;
	}
	const isValid = (text: string) => {
		if (type === 'number') return Number.isFinite(Number(text));
		if (type === 'email') return /^\S+@\S+$/.test(text);
		if (type === 'url' || type === 'file_upload') return isWebAddress(text);
		return !options || options.includes(text);
	};
	return texts.every(isValid) ? undefined : 'Please check this field.';
}

/** The answers of a submission. Its files go into the store, which gives them an address. */
export async function readAnswers(
	submitted: FormData,
	fields: Field[],
	store: Store,
): Promise<Answers> {
	const answers: Answers = {};
	for (const field of fields) {
		const files = readFiles(submitted, field).map(async (file) => {
			const { name, type } = file;
			const data = new Uint8Array(await file.arrayBuffer());
			return `${name}|/files/${store.addFile({ name, type, data }).id}/${encodeURIComponent(name)}`;
		});
		answers[field.uuid] =
			files.length > 0 ? await Promise.all(files) : readAnswer(field, readTexts(submitted, field));
	}
	return answers;
}

function readAnswer({ type }: Field, texts: string[]): Answer {
	const given = texts.map((text) => text.replaceAll('\r\n', '\n')).filter((text) => text !== '');
	if (given.length === 0) return null;
	if (type === 'multiple_choice') return given;
	return type === 'number' && Number.isFinite(Number(given[0])) ? Number(given[0]) : given[0];
}
