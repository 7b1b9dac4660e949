import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { defaultSettings, type Settings } from './specification/settingsRules.mts';

/** A workspace as endpoint 1 shows it (section 2.1). */
type Workspace = Record<string, unknown> & { name: string };
export type Account = { id: number; workspace: Workspace };

export type Form = {
	id: string;
	accountId: number;
	trackIncomplete: boolean;
	settings: Settings;
	createdAt: string;
	updatedAt: string;
};

/** The kinds of field that the stand-in's pages can show; the specification names none. */
export type FieldType =
	| 'text'
	| 'textarea'
	| 'email'
	| 'phone'
	| 'url'
	| 'number'
	| 'date'
	| 'dropdown'
	| 'single_choice'
	| 'multiple_choice'
	| 'file_upload';

export type Field = {
	uuid: string;
	formId: string;
	label: string;
	type: FieldType;
	mandatory: boolean;
	customKey: string | null;
	description: string | null;
	options: string[] | null;
};
export type NewField = Partial<Omit<Field, 'formId'>> & { label: string };

export type NewForm = {
	name: string;
	id?: string;
	/** the first account's when not given */
	accountId?: number;
	fields?: NewField[];
	trackIncomplete?: boolean;
	settings?: Settings;
};

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
};

export type NewResponse = {
	/** by the UUID of a field, or by its label where only one field has it */
	answers?: Answers;
	incomplete?: boolean;
	uuid?: string;
	/** as the service writes it; now when not given */
	createdAt?: string;
};

type StoredFile = { name: string; type: string; data: Uint8Array };

/**
 * A timestamp as the service writes it: ISO 8601 UTC with microseconds and a trailing Z (section 2.1). Whole
 * seconds, as such databases keep them, so that many records share one. `epoch` in milliseconds.
 */
export const timestamp = (epoch: number) =>
	new Date(epoch).toISOString().replace(/\.\d+Z$/, '.000000Z');

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const newFormId = () =>
	Array.from({ length: 6 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

function existing<T>(found: T | undefined, what: string): T {
	if (found === undefined) throw new Error(`There is no ${what} in the store`);
	return found;
}

export type Store = ReturnType<typeof createStore>;

/**
 * Creates all that the service keeps, in memory. Records are replaced and never changed, so what was read
 * stays as it was.
 */
export function createStore(now: () => number) {
	const accounts: Account[] = [];
	const tokens = new Map<string, number>();
	const forms = new Map<string, Form>();
	const fields = new Map<string, Field>();
	const responses = new Map<string, Response>();
	/** how many responses each form has: counting them takes too long for long lists */
	const numbers = new Map<string, number>();
	const files = new Map<string, StoredFile>();

	const formOf = (id: string) => existing(forms.get(id), `form ${id}`);
	const responseOf = (uuid: string) => existing(responses.get(uuid), `response ${uuid}`);
	const listFields = (formId: string) =>
		[...fields.values()].filter((one) => one.formId === formId);
	const listResponses = (formId: string) =>
		[...responses.values()].filter((one) => one.formId === formId);

	function addField(formId: string, { uuid = randomUUID(), ...field }: NewField) {
		const optional = { customKey: null, description: null, options: null };
		const base = { type: 'text', mandatory: false, ...optional } as const;
		fields.set(uuid, { ...base, ...field, uuid, formId });
	}

	function toUuids(formId: string, answers: Answers): Answers {
		const known = listFields(formId);
		const entries = Object.entries(answers).map(([key, value]) => {
			const found = known.filter(({ uuid, label }) => uuid === key || label === key);
			if (found.length !== 1) throw new Error(`${found.length} fields of ${formId} fit "${key}"`);
			return [found[0].uuid, value] as const;
		});
		return Object.fromEntries(entries);
	}

	return {
		firstAccount: () => accounts.at(0),
		accountOfToken: (token: string) => accounts.find(({ id }) => id === tokens.get(token)),
		/** What the account does not say of its workspace has plain values. */
		addAccount(account: { name?: string; tokens: string[]; workspace?: Record<string, unknown> }) {
			const { name = 'Workspace', workspace } = account;
			const content = { ...createWorkspace(name, timestamp(now())), ...workspace };
			const added: Account = { id: accounts.length + 1, workspace: content };
			accounts.push(added);
			for (const token of account.tokens) tokens.set(token, added.id);
			return added;
		},
		addToken(accountId: number, token: string) {
			tokens.set(token, accountId);
		},

		form: (id: string) => forms.get(id),
		forms: (accountId = 1) => [...forms.values()].filter((one) => one.accountId === accountId),
		fields: listFields,
		addForm(added: NewForm): Form {
			const { name, id = newFormId(), accountId = 1, trackIncomplete = false } = added;
			const settings = { ...defaultSettings(name), ...added.settings };
			const time = timestamp(now());
			const form = { id, accountId, trackIncomplete, settings, createdAt: time, updatedAt: time };
			forms.set(id, form);
			for (const field of added.fields ?? []) addField(id, field);
			return form;
		},
		editSettings(formId: string, settings: Settings): Form {
			const form = formOf(formId);
			const updatedAt = timestamp(now());
			forms.set(formId, { ...form, settings: { ...form.settings, ...settings }, updatedAt });
			return formOf(formId);
		},
		trackIncomplete(formId: string, trackIncomplete: boolean) {
			forms.set(formId, { ...formOf(formId), trackIncomplete });
		},
		renameField(uuid: string, label: string) {
			fields.set(uuid, { ...existing(fields.get(uuid), `field ${uuid}`), label });
		},

		/** The responses of a form, oldest first. */
		responses: listResponses,
		response: (uuid: string) => responses.get(uuid),
		/** Why a form takes no response now, in words for a person; undefined when it takes them. */
		closedBecause({ id, settings }: Form): string | undefined {
			const { is_closed: closed, closed_message: message, responses_limit: limit } = settings;
			const complete = listResponses(id).filter(({ isIncomplete }) => !isIncomplete);
			const isFull = typeof limit === 'number' && complete.length >= limit;
			if (!closed && !isFull) return undefined;
			return String(message || 'This form takes no more responses.');
		},
		addResponse(formId: string, response: NewResponse = {}): Response {
			const { trackIncomplete } = formOf(formId);
			const { incomplete = false, uuid = randomUUID() } = response;
			if (incomplete && !trackIncomplete) {
				throw new Error(`Form ${formId} does not track incomplete submissions`);
			}
			if (responses.has(uuid)) throw new Error(`There is a response ${uuid} already`);
			const number = (numbers.get(formId) ?? 0) + 1;
			numbers.set(formId, number);
			const added = {
				...{ uuid, formId, number, isIncomplete: incomplete },
				answers: toUuids(formId, response.answers ?? {}),
				createdAt: response.createdAt ?? timestamp(now()),
			};
			responses.set(uuid, added);
			return added;
		},
		/** Changes answers, and completes the response or not; it keeps its UUID, number and time. */
		changeResponse(uuid: string, answers: Answers, isIncomplete: boolean) {
			const before = responseOf(uuid);
			const merged = { ...before.answers, ...toUuids(before.formId, answers) };
			responses.set(uuid, { ...before, answers: merged, isIncomplete });
		},

		/** Keeps an uploaded file under an ID that nobody can guess: 192 bits. */
		addFile(file: StoredFile) {
			const id = randomBytes(24).toString('base64url');
			files.set(id, file);
			return { id };
		},
		file: (id: string) => files.get(id),
	};
}

/** A workspace with plain values for everything that section 2.1 names. */
function createWorkspace(name: string, createdAt: string): Workspace {
	const empty = `logo logo_backend ogimage favicon after_message after_redirect_url
		after_message_email_subject after_message_email slack_webhook_url discord_webhook_url
		checkout_canceled_message checkout_canceled_cta`;
	const email = 'owner@example.com';
	return {
		name,
		...Object.fromEntries(empty.split(/\s+/).map((key) => [key, null])),
		field_errormessage: 'Please fill in this field.',
		webhook_secret: 'webhook-secret',
		replyto_email: email,
		onboarding_completed: true,
		timezone: 'UTC',
		locale: 'en',
		owner: {
			...{ name: 'Owner', email, email_verified_at: createdAt },
			...{ two_factor_confirmed_at: null, created_at: createdAt },
		},
		members: [],
		created_at: createdAt,
	};
}
