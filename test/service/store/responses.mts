import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { Form } from './forms.mts';
import { newUnguessableName, timestamp } from './values.mts';

export type Answer = string | number | string[] | null;
/** Answers by the UUID of their field. */
export type Answers = Record<string, Answer>;

export type Response = {
	uuid: string;
	formId: string;
	number: number;
	isIncomplete: boolean;
	answers: Answers;
	createdAt: string;
	referrer: string | null;
	pdfName: string;
};

export type NewResponse = {
	/** by the UUID of a field, or by its label where only one field has it */
	answers?: Answers;
	incomplete?: boolean;
	uuid?: string;
	/** as the service writes it; now when not given */
	createdAt?: string;
	referrer?: string;
	/** what the page calls the submission while it is being typed */
	draft?: string;
};

type Row = Record<'uuid' | 'form_id' | 'answers' | 'created_at' | 'pdf_name', string> &
	Record<'number' | 'is_incomplete', number> & { referrer: string | null };

const toResponse = (row: Row): Response => ({
	uuid: row.uuid,
	formId: row.form_id,
	number: row.number,
	isIncomplete: row.is_incomplete === 1,
	answers: JSON.parse(row.answers) as Answers,
	createdAt: row.created_at,
	referrer: row.referrer,
	pdfName: row.pdf_name,
});

type Forms = {
	form(id: string): { trackIncomplete: boolean } | undefined;
	fields(formId: string): Array<{ uuid: string; label: string }>;
};

/** Responses of all forms. */
export function responseStore(database: DatabaseSync, now: () => number, forms: Forms) {
	const insert = database.prepare(
		`INSERT INTO responses
			(uuid, form_id, number, is_incomplete, answers, created_at, referrer, pdf_name, draft)
		VALUES (?, ?, 1 + COALESCE(
			(SELECT number FROM responses WHERE form_id = ? ORDER BY position DESC LIMIT 1), 0
		), ?, ?, ?, ?, ?, ?)`,
	);
	const listed = database.prepare(
		'SELECT * FROM responses WHERE form_id = ? AND deleted = 0 ORDER BY position',
	);
	const byUuid = database.prepare('SELECT * FROM responses WHERE uuid = ? AND deleted = 0');
	const byPdf = database.prepare('SELECT * FROM responses WHERE pdf_name = ? AND deleted = 0');
	const byDraft = database.prepare('SELECT * FROM responses WHERE form_id = ? AND draft = ?');
	const save = database.prepare(
		'UPDATE responses SET answers = ?, is_incomplete = ? WHERE uuid = ?',
	);
	// A person who goes on typing after the deletion starts a new response.
	const remove = database.prepare('UPDATE responses SET deleted = 1, draft = NULL WHERE uuid = ?');
	const count = database.prepare(
		'SELECT COUNT(*) AS count FROM responses WHERE form_id = ? AND deleted = 0 AND is_incomplete = 0',
	);

	const completeCount = (formId: string) => (count.get(formId) as { count: number }).count;
	const one = (row: unknown) => (row === undefined ? undefined : toResponse(row as Row));
	const existing = (uuid: string): Response => {
		const found = one(byUuid.get(uuid));
		if (!found) throw new Error(`There is no response ${uuid} in the store`);
		return found;
	};
	const byField = (formId: string, answers: Answers): Answers => {
		const fields = forms.fields(formId);
		const uuidOf = (key: string) => {
			const found = fields.filter(({ uuid, label }) => uuid === key || label === key);
			if (found.length !== 1) throw new Error(`${found.length} fields of ${formId} fit "${key}"`);
			return found[0]!.uuid;
		};
		return Object.fromEntries(Object.entries(answers).map(([key, value]) => [uuidOf(key), value]));
	};
	const change = (uuid: string, answers: Answers, incomplete: boolean): Response => {
		const { formId, answers: before } = existing(uuid);
		const merged = { ...before, ...byField(formId, answers) };
		save.run(JSON.stringify(merged), Number(incomplete), uuid);
		return existing(uuid);
	};

	return {
		/** The responses of a form that are not deleted, oldest first. */
		responses: (formId: string) => (listed.all(formId) as Row[]).map(toResponse),
		response: (uuid: string) => one(byUuid.get(uuid)),
		responseOfPdf: (pdfName: string) => one(byPdf.get(pdfName)),
		responseOfDraft: (formId: string, draft: string) => one(byDraft.get(formId, draft)),
		completeCount,
		/** Why a form takes no response now, in words for a person; undefined when it takes them. */
		closedBecause({ id, settings }: Form): string | undefined {
			const { is_closed: closed, closed_message: message, responses_limit: limit } = settings;
			const full = typeof limit === 'number' && completeCount(id) >= limit;
			if (!closed && !full) return undefined;
			return typeof message === 'string' && message
				? message
				: 'This form takes no more responses.';
		},
		addResponse(formId: string, response: NewResponse = {}): Response {
			const form = forms.form(formId);
			if (!form) throw new Error(`There is no form ${formId} in the store`);
			if (response.incomplete && !form.trackIncomplete) {
				throw new Error(`Form ${formId} does not track incomplete submissions`);
			}
			const uuid = response.uuid ?? randomUUID();
			insert.run(
				uuid,
				formId,
				formId,
				Number(response.incomplete ?? false),
				JSON.stringify(byField(formId, response.answers ?? {})),
				response.createdAt ?? timestamp(now()),
				response.referrer ?? null,
				newUnguessableName(),
				response.draft ?? null,
			);
			return existing(uuid);
		},
		/** Makes an incomplete response a complete one; it keeps its UUID, number and time. */
		completeResponse: (uuid: string, answers: Answers = {}) => change(uuid, answers, false),
		/** Changes answers; those that are not named stay. */
		editResponse: (uuid: string, answers: Answers) =>
			change(uuid, answers, existing(uuid).isIncomplete),
		deleteResponse(uuid: string) {
			remove.run(existing(uuid).uuid);
		},
	};
}
