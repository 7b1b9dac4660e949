import type { Parts } from '../parts.mts';
import type { Answer, Field, Form, Response } from '../store.mts';

export function createFormRecord(form: Form, parts: Parts) {
	const { id, settings, fields, trackIncomplete, createdAt, updatedAt } = form;
	return {
		id,
		...settings,
		slug: id.toLowerCase(),
		url: `${parts.url}/f/${id}`,
		track_incomplete: trackIncomplete,
		created_at: createdAt,
		updated_at: updatedAt,
		fields: fields.map((field) => createFieldRecord(field, parts)),
		...createSecrets(parts),
	};
}

export function createFieldRecord(field: Field, parts: Parts) {
	const { customKey, ...attributes } = field;
	return { ...attributes, custom_key: customKey, ...createSecrets(parts) };
}

export function createResponseRecord(response: Response, form: Form, parts: Parts) {
	const { number_prefix: prefix, number_suffix: suffix } = form.settings;
	const answers = form.fields.map((field) => ({
		key: field.label,
		value: withLinks(response.answers[field.uuid] ?? null, field, parts.url),
	}));
	return {
		uuid: response.uuid,
		number: response.number,
		number_formatted: `${prefix ?? ''}${response.number}${suffix ?? ''}`,
		is_incomplete: response.isIncomplete,
		created_at: response.createdAt,
		...{ referrer: null, enrich: null, webhook_sent: false },
		...{ hubspot_sync: false, hubspot_sync_completed: null },
		...{ google_sheets_sync: false, google_sheets_synced_at: null },
		responses: answers,
		...createSecrets(parts),
	};
}

/** Completes the URLs of files in an answer: `cv.pdf|/files/1` → `cv.pdf|https://host/files/1`. */
function withLinks(value: Answer, { type }: Field, origin: string): Answer {
	if (type !== 'file_upload' || !Array.isArray(value)) return value;
	return value.map((file) => file.replace(/\|\/(?!\/)/, `|${origin}/`));
}

/** Creates the answer to a file field: `https://host/cv.pdf` → `["cv.pdf|https://host/cv.pdf"]`. */
export function createFileAnswer(url: string): string[] {
	const name = decodeURIComponent(new URL(url).pathname.split('/').at(-1) || 'file');
	return [`${name}|${url}`];
}

/** Attributes with secrets, which the node removes. */
export function createSecrets({ secret }: Parts): Record<string, unknown> {
	if (secret === undefined) return {};
	return {
		webhook_secret: secret,
		integrations: [{ name: 'chat', webhook_url: `https://chat.example/hooks/${secret}` }],
		connection: { api_key: secret, access_token: secret, is_active: true },
	};
}
