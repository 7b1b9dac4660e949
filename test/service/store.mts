import { randomUUID } from 'node:crypto';
import lodash from 'lodash';
import workspace from './demo/workspace.json' with { type: 'json' };
import { defaultSettings, type Settings } from './specification/settingsRules.mts';

export type Account = {
	id: number;
	tokens: string[];
	workspace: Record<string, unknown>;
};

export type Field = {
	uuid: string;
	label: string;
	type: string;
	mandatory: boolean;
	customKey: string | null;
	description: string | null;
	options: string[] | null;
};

export type Answer = string | number | string[] | null;
/** The answers of a response. The key of an answer is the UUID of its field. */
export type Answers = Record<string, Answer>;

export type Response = {
	uuid: string;
	number: number;
	isIncomplete: boolean;
	answers: Answers;
	createdAt: string;
};

export type Form = {
	id: string;
	accountId: number;
	/** If not, the API leaves out incomplete responses. */
	trackIncomplete: boolean;
	settings: Settings;
	fields: Field[];
	responses: Response[];
	createdAt: string;
	updatedAt: string;
};

export type NewField = Partial<Field> & { label: string };

export type NewForm = Partial<Pick<Form, 'id' | 'accountId' | 'trackIncomplete' | 'settings'>> & {
	name: string;
	fields?: NewField[];
};

/** Each answer is by the UUID of the field, its label, or its custom key. */
type NewResponse = Partial<Pick<Response, 'answers' | 'uuid' | 'createdAt'>> & {
	incomplete?: boolean;
};

type StoredFile = { type: string; data: Uint8Array };

/** Formats a time in epoch milliseconds as the service does: `2026-01-31T09:00:00.000000Z`. */
export const timestamp = (epoch: number) =>
	new Date(epoch).toISOString().replace(/\.\d+Z$/, '.000000Z');

export type Store = ReturnType<typeof createStore>;

/** The data of a service. Tests may change its forms, fields and responses. */
export function createStore(now: () => number) {
	const accounts: Account[] = [];
	const forms: Form[] = [];
	const files = new Map<string, StoredFile>();

	const findForm = (id: string) => forms.find((form) => form.id === id);

	function getForm(id: string): Form {
		const form = findForm(id);
		if (!form) throw new Error(`There is no form ${id} in the store`);
		return form;
	}

	return {
		accounts,
		addAccount({ name = 'Workspace', tokens }: { name?: string; tokens: string[] }): Account {
			const account = { id: accounts.length + 1, tokens, workspace: { ...workspace, name } };
			accounts.push(account);
			return account;
		},

		form: findForm,
		forms: (accountId = 1) => forms.filter((form) => form.accountId === accountId),
		fields: (formId: string) => getForm(formId).fields,
		addForm({ name, fields = [], settings, ...record }: NewForm): Form {
			const time = timestamp(now());
			const form: Form = {
				...{ id: `f${randomUUID().slice(0, 8)}`, accountId: 1, trackIncomplete: false },
				settings: { ...defaultSettings(name), ...settings },
				fields: fields.map(createField),
				responses: [],
				...{ createdAt: time, updatedAt: time },
				...record,
			};
			forms.push(form);
			return form;
		},
		editSettings(formId: string, settings: Settings): Form {
			const form = getForm(formId);
			Object.assign(form.settings, settings);
			form.updatedAt = timestamp(now());
			return form;
		},

		responses: (formId: string) => [...getForm(formId).responses],
		response(uuid: string) {
			const all = forms.flatMap((form) => form.responses.map((response) => ({ form, response })));
			return all.find(({ response }) => response.uuid === uuid);
		},
		addResponse(formId: string, attributes: NewResponse = {}): Response {
			const { fields, responses } = getForm(formId);
			const { answers = {}, incomplete = false, uuid = randomUUID(), createdAt } = attributes;
			const response: Response = {
				uuid,
				number: responses.length + 1,
				isIncomplete: incomplete,
				answers: lodash.mapKeys(answers, (_, name) => findField(fields, name).uuid),
				createdAt: createdAt ?? timestamp(now()),
			};
			responses.push(response);
			return response;
		},

		file: (id: string) => files.get(id),
		addFile(file: StoredFile, id: string = randomUUID()): { id: string } {
			files.set(id, file);
			return { id };
		},
	};
}

const createField = (field: NewField): Field => ({
	...{ uuid: randomUUID(), type: 'text', mandatory: false },
	...{ customKey: null, description: null, options: null },
	...field,
});

function findField(fields: readonly Field[], name: string): Field {
	const found = fields.filter(({ uuid, label, customKey }) =>
		[uuid, label, customKey].includes(name),
	);
	if (found.length !== 1) throw new Error(`${found.length} fields fit "${name}"`);
	return found[0];
}
