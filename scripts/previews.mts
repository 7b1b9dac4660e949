/**
 * The output previews that the editor shows before a node has run: what each operation gives, as JSON Schema.
 *
 * n8n finds them in __schema__/v<node version>/<resource>/<operation>.json beside the node, and for
 * a node without resources in __schema__/v<node version>.json.
 */

export type Schema = {
	type: 'string' | 'integer' | 'boolean' | 'object' | 'array';
	properties?: Record<string, Schema>;
	items?: Schema;
	version?: number;
};

const string: Schema = { type: 'string' };
const integer: Schema = { type: 'integer' };
const boolean: Schema = { type: 'boolean' };
const object = (properties: Record<string, Schema> = {}): Schema => ({
	type: 'object',
	properties,
});
const list = (items: Schema): Schema => ({ type: 'array', items });

const field = object({ uuid: string, label: string, type: string, mandatory: boolean });

/** Simplified, as it is by default. */
const form = object({
	id: string,
	name: string,
	description: string,
	slug: string,
	url: string,
	is_closed: boolean,
	created_at: string,
	updated_at: string,
	fields: list(object({ uuid: string, label: string, type: string, required: boolean })),
});

/** Simplified, as it is by default. What `answers` has depends on the form. */
const responseProperties = {
	answers: object(),
	uuid: string,
	number: integer,
	number_formatted: string,
	is_incomplete: boolean,
	created_at: string,
	referrer: string,
};
const response = object(responseProperties);

/** Simplified, as it is by default. */
const workspace = object({
	name: string,
	timezone: string,
	locale: string,
	replyto_email: string,
	field_errormessage: string,
	after_redirect_url: string,
	onboarding_completed: boolean,
	owner: object({ name: string, email: string }),
	members: list(object()),
	created_at: string,
});

/** By the file's path below __schema__. */
export const previews: Record<string, Schema> = {
	'v1.0.0/field/getAll.json': field,
	'v1.0.0/form/get.json': form,
	'v1.0.0/form/getAll.json': form,
	'v1.0.0/response/create.json': object({
		status: string,
		uuid: string,
		form: object({ id: string, name: string }),
		answers: object(),
	}),
	'v1.0.0/response/get.json': response,
	'v1.0.0/response/getAll.json': response,
	'v1.0.0/response/getPdf.json': object({ uuid: string, pdf_url: string }),
	'v1.0.0/settings/update.json': object({
		message: string,
		id: string,
		name: string,
		updated_at: string,
		status: string,
		changes: object(),
	}),
	'v1.0.0/workspace/get.json': workspace,
	// of the trigger
	'v1.0.0.json': object({
		...responseProperties,
		event: string,
		form: object({ id: string, name: string }),
	}),
};

const folder = new URL('../nodes/FormService/__schema__/', import.meta.url);

export const fileOf = (path: string) => new URL(path, folder);

export const textOf = (schema: Schema) =>
	`${JSON.stringify({ ...schema, version: 1 }, null, '\t')}\n`;
