import type { Answer, Field, Form, Response } from '../store.mts';

/** @param origin the service's own, such as `https://host` */
export function createFormRecord(form: Form, origin: string) {
	const { id, settings, fields, trackIncomplete, createdAt, updatedAt } = form;
	return {
		id,
		...settings,
		slug: id.toLowerCase(),
		url: `${origin}/f/${id}`,
		track_incomplete: trackIncomplete,
		created_at: createdAt,
		updated_at: updatedAt,
		fields: fields.map(createFieldRecord),
	};
}

export function createFieldRecord({ customKey, ...attributes }: Field) {
	return { ...attributes, custom_key: customKey };
}

export function createResponseRecord(response: Response, form: Form, origin: string) {
	const { number_prefix: prefix, number_suffix: suffix } = form.settings;
	const answers = form.fields.map((field) => ({
		key: field.label,
		value: completeLinks(response.answers[field.uuid] ?? null, field, origin),
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
	};
}

/** Completes the URLs of files in an answer: `cv.pdf|/files/1` → `cv.pdf|https://host/files/1`. */
function completeLinks(value: Answer, { type }: Field, origin: string): Answer {
	if (type !== 'file_upload' || !Array.isArray(value)) return value;
	return value.map((file) => file.replace(/\|\/(?!\/)/, `|${origin}/`));
}

/** Creates the answer to a file field: `https://host/cv.pdf` → `["cv.pdf|https://host/cv.pdf"]`. */
export function createFileAnswer(url: string): string[] {
	const name = decodeURIComponent(new URL(url).pathname.split('/').at(-1) || 'file');
	return [`${name}|${url}`];
}

/** Adds attributes with this secret, which the node removes, to a record or to each record of a list. */
export function addSecrets(data: object, secret: string): object {
	if (Array.isArray(data)) return data.map((record: object) => addSecrets(record, secret));
	return {
		...data,
		webhook_secret: secret,
		integrations: [{ name: 'chat', webhook_url: `https://chat.example/hooks/${secret}` }],
		connection: { api_key: secret, access_token: secret, is_active: true },
	};
}
