import { fileAnswer } from '../specification/records.mts';
import { isWebAddress } from '../specification/settingsRules.mts';
import type { Answer, Answers, Field } from '../store.mts';

/** The answers of a submission. A file is an address, as in the API. */
export const readAnswers = (submitted: URLSearchParams, fields: Field[]): Answers =>
	Object.fromEntries(
		fields.map(({ uuid, type }) => [uuid, readAnswer(type, submitted.getAll(uuid))]),
	);

function readAnswer(type: Field['type'], texts: string[]): Answer {
	const given = texts.map((text) => text.replaceAll('\r\n', '\n')).filter((text) => text.trim());
	if (given.length === 0) return null;
	if (type === 'multiple_choice') return given;
	const [text] = given;
	if (type === 'file_upload' && isWebAddress(text)) return fileAnswer(text);
	return type === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
}
