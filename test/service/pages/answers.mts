import { isWebAddress } from '../specification/settingsRules.mts';
import type { Field } from '../store/forms.mts';
import type { Answer, Answers } from '../store/responses.mts';
import type { Store } from '../store/store.mts';

/** What a page sent: texts, and files under the UUID of their field. */
export type Submitted = FormData;

/** Reads a body as a page sends it, `multipart/form-data` or `application/x-www-form-urlencoded`. */
export async function readForm(contentType: string, body: Buffer): Promise<Submitted> {
	return await new Response(new Uint8Array(body), {
		headers: { 'content-type': contentType },
	}).formData();
}

/** The texts of a field, as they were sent. */
export function textsOf(submitted: Submitted, { uuid }: Field): string[] {
	return submitted.getAll(uuid).filter((value) => typeof value === 'string');
}

/** What is wrong with a submission, by the UUID of the field; empty when nothing is. */
export function faultsOf(
	submitted: Submitted,
	fields: Field[],
	mandatoryMessage: string,
): Record<string, string> {
	const faults: Record<string, string> = {};
	for (const field of fields) {
		const texts = textsOf(submitted, field).filter((text) => text.trim() !== '');
		const given = texts.length > 0 || filesOf(submitted, field).length > 0;
		if (field.mandatory && !given) faults[field.uuid] = mandatoryMessage;
		else if (given) {
			const fault = texts.map((text) => faultOf(field, text)).find(Boolean);
			if (fault) faults[field.uuid] = fault;
		}
	}
	return faults;
}

function faultOf({ type, options }: Field, text: string): string | undefined {
	if (type === 'number' && !Number.isFinite(Number(text))) return 'Please give a number.';
	if (type === 'email' && !/^\S+@\S+$/.test(text)) return 'Please give an e-mail address.';
	if ((type === 'url' || type === 'file_upload') && !isWebAddress(text)) {
		return 'Please give an address that starts with https:// or http://.';
	}
	if (options && !options.includes(text)) return 'Please choose one of the options.';
	return undefined;
}

/** The answers of a submission. Its files go into the store, which gives them an address. */
export async function answersOf(
	submitted: Submitted,
	fields: Field[],
	store: Store,
): Promise<Answers> {
	const answers: Answers = {};
	for (const field of fields) {
		const files = await Promise.all(
			filesOf(submitted, field).map(async (file) => {
				const data = new Uint8Array(await file.arrayBuffer());
				const stored = store.addFile({ name: file.name, type: file.type, data });
				return `${file.name}|/files/${stored.id}/${encodeURIComponent(file.name)}`;
			}),
		);
		answers[field.uuid] = files.length > 0 ? files : answerOf(field, textsOf(submitted, field));
	}
	return answers;
}

function answerOf({ type }: Field, texts: string[]): Answer {
	const given = texts.map((text) => text.replaceAll('\r\n', '\n')).filter((text) => text !== '');
	if (given.length === 0) return null;
	if (type === 'multiple_choice') return given;
	if (type === 'number' && Number.isFinite(Number(given[0]))) return Number(given[0]);
	return given[0]!;
}

function filesOf(submitted: Submitted, { uuid, type }: Field): File[] {
	if (type !== 'file_upload') return [];
	return submitted
		.getAll(uuid)
		.filter((value) => typeof value !== 'string' && value.size > 0) as File[];
}
