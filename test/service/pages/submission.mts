import type { Answer, Answers, Field, Store } from '../store.mts';

/** The answers of a submission. Its files go into the store, which gives them an address. */
export async function readAnswers(
	submitted: FormData,
	fields: Field[],
	store: Store,
): Promise<Answers> {
	const answers: Answers = {};
	for (const { uuid, type } of fields) {
		const values = submitted.getAll(uuid);
		const files = values.filter((value) => typeof value !== 'string' && value.size > 0) as File[];
		const texts = values.filter((value) => typeof value === 'string');
		answers[uuid] =
			files.length > 0
				? await Promise.all(files.map(async (file) => await storeFile(file, store)))
				: readAnswer(type, texts);
	}
	return answers;
}

async function storeFile(file: File, store: Store): Promise<string> {
	const { name, type } = file;
	const { id } = store.addFile({ name, type, data: new Uint8Array(await file.arrayBuffer()) });
	return `${name}|/files/${id}/${encodeURIComponent(name)}`;
}

function readAnswer(type: Field['type'], texts: string[]): Answer {
	const given = texts.map((text) => text.replaceAll('\r\n', '\n')).filter((text) => text.trim());
	if (given.length === 0) return null;
	if (type === 'multiple_choice') return given;
	return type === 'number' && Number.isFinite(Number(given[0])) ? Number(given[0]) : given[0];
}
