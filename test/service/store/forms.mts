import { randomInt, randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { defaultSettings, type Settings } from '../specification/settingsRules.mts';
import { timestamp } from './values.mts';

export type Form = {
	id: string;
	accountId: number;
	slug: string;
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
	/** now when not given */
	createdAt?: string;
	fields?: NewField[];
	trackIncomplete?: boolean;
	settings?: Settings;
};

type FormRow = Record<'id' | 'slug' | 'settings' | 'created_at' | 'updated_at', string> &
	Record<'account_id' | 'track_incomplete', number>;
type FieldRow = Record<'uuid' | 'form_id' | 'label' | 'type', string> & {
	mandatory: number;
} & Record<'custom_key' | 'description' | 'options', string | null>;

const toForm = (row: FormRow): Form => ({
	id: row.id,
	accountId: row.account_id,
	slug: row.slug,
	trackIncomplete: row.track_incomplete === 1,
	settings: JSON.parse(row.settings) as Settings,
	createdAt: row.created_at,
	updatedAt: row.updated_at,
});

const toField = (row: FieldRow): Field => ({
	uuid: row.uuid,
	formId: row.form_id,
	label: row.label,
	type: row.type as FieldType,
	mandatory: row.mandatory === 1,
	customKey: row.custom_key,
	description: row.description,
	options: row.options === null ? null : (JSON.parse(row.options) as string[]),
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A form's id: six characters of mixed case and digits. */
function newFormId(): string {
	return Array.from({ length: 6 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** Forms and their fields. */
export function formStore(database: DatabaseSync, now: () => number) {
	const insertForm = database.prepare(
		`INSERT INTO forms (id, account_id, slug, track_incomplete, settings, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
	);
	const insertField = database.prepare(
		`INSERT INTO fields (uuid, form_id, label, type, mandatory, custom_key, description, options)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
	);
	const formById = database.prepare('SELECT * FROM forms WHERE id = ?');
	const formsOf = database.prepare('SELECT * FROM forms WHERE account_id = ? ORDER BY position');
	const fieldsOf = database.prepare('SELECT * FROM fields WHERE form_id = ? ORDER BY position');
	const saveSettings = database.prepare(
		'UPDATE forms SET settings = ?, updated_at = ? WHERE id = ?',
	);
	const saveTracking = database.prepare('UPDATE forms SET track_incomplete = ? WHERE id = ?');
	const saveLabel = database.prepare('UPDATE fields SET label = ? WHERE uuid = ?');

	const form = (id: string): Form | undefined => {
		const row = formById.get(id) as FormRow | undefined;
		return row && toForm(row);
	};
	const existing = (id: string): Form => {
		const found = form(id);
		if (!found) throw new Error(`There is no form ${id} in the store`);
		return found;
	};
	const fields = (formId: string) => (fieldsOf.all(formId) as FieldRow[]).map(toField);

	const addField = (formId: string, field: NewField): Field => {
		const added: Field = {
			uuid: field.uuid ?? randomUUID(),
			formId: existing(formId).id,
			label: field.label,
			type: field.type ?? 'text',
			mandatory: field.mandatory ?? false,
			customKey: field.customKey ?? null,
			description: field.description ?? null,
			options: field.options ?? null,
		};
		insertField.run(
			added.uuid,
			added.formId,
			added.label,
			added.type,
			Number(added.mandatory),
			added.customKey,
			added.description,
			added.options && JSON.stringify(added.options),
		);
		return added;
	};

	return {
		form,
		fields,
		addField,
		forms: (accountId = 1) => (formsOf.all(accountId) as FormRow[]).map(toForm),
		addForm({ name, id = newFormId(), accountId = 1, ...rest }: NewForm): Form {
			const time = rest.createdAt ?? timestamp(now());
			const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
			const settings = { ...defaultSettings(name), ...rest.settings };
			const tracked = Number(rest.trackIncomplete ?? false);
			insertForm.run(id, accountId, slug, tracked, JSON.stringify(settings), time, time);
			for (const field of rest.fields ?? []) addField(id, field);
			return existing(id);
		},
		editSettings(formId: string, change: Settings): Form {
			const settings = { ...existing(formId).settings, ...change };
			saveSettings.run(JSON.stringify(settings), timestamp(now()), formId);
			return existing(formId);
		},
		/** Turns "Track incomplete submissions" of a form on or off. */
		trackIncomplete(formId: string, tracked: boolean) {
			saveTracking.run(Number(tracked), formId);
		},
		renameField(uuid: string, label: string) {
			saveLabel.run(label, uuid);
		},
	};
}
