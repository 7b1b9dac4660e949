import type { FastifyInstance } from 'fastify';
import lodash from 'lodash';
import { z } from 'zod';
import type { Parts } from '../parts.mts';
import type { Answers, Field, Form, Response } from '../store.mts';
import { createAccessCheck, createServiceError, getAccessibleForm } from './access.mts';
import { createArranger, createListBody } from './lists.mts';
import {
	createFieldRecord,
	createFileAnswer,
	createFormRecord,
	createResponseRecord,
	createSecrets,
} from './records.mts';
import { settingsSchema, type Settings } from './settingsRules.mts';

/** Creates the API: the endpoints (specification, section 4), and the check that runs before each endpoint. */
export function createApi(parts: Parts) {
	return async (api: FastifyInstance) => {
		api.addHook('onRequest', createAccessCheck(parts));
		addFormEndpoints(api, parts);
		addResponseEndpoints(api, parts);
		addSettingsEndpoint(api, parts);
	};
}

/** Adds the endpoints that return the workspace, the forms, and the fields of a form. */
function addFormEndpoints(api: FastifyInstance, parts: Parts) {
	const { store } = parts;

	api.get('/workspace', (request) => ({
		success: true,
		data: { ...createSecrets(parts), ...request.account?.workspace },
	}));

	api.get('/forms', (request, reply) => {
		const forms = store.forms(request.account?.id);
		const createRecord = (form: Form) => createFormRecord(form, parts);
		return createListBody(forms, createRecord, request, reply, parts);
	});

	api.get<{ Params: { id: string } }>('/forms/:id/fields', (request, reply) => {
		const { fields } = getAccessibleForm(request, parts, request.params.id);
		const createRecord = (field: Field) => createFieldRecord(field, parts);
		return createListBody(fields, createRecord, request, reply, parts);
	});
}

/** Adds the endpoints that list the responses of a form, return the link to a PDF, and add a response. */
function addResponseEndpoints(api: FastifyInstance, parts: Parts) {
	const { store, shapes } = parts;
	const arrange = createArranger(parts);

	api.get<{ Params: { formId: string }; Querystring: { incomplete?: unknown } }>(
		'/responses/:formId',
		(request, reply) => {
			const form = getAccessibleForm(request, parts, request.params.formId);
			const { incomplete } = request.query;
			const listed = form.responses.filter(
				({ isIncomplete }) => form.trackIncomplete || !isIncomplete,
			);
			const responses =
				incomplete === undefined
					? listed
					: listed.filter(({ isIncomplete }) => String(isIncomplete) === incomplete);
			const createRecord = (response: Response) => createResponseRecord(response, form, parts);
			const arranged = arrange(responses, request);
			return createListBody(arranged, createRecord, request, reply, parts);
		},
	);

	api.get<{ Params: { uuid: string } }>('/response/:uuid/pdf', (request) => {
		const { uuid } = request.params;
		const found = store.response(uuid);
		if (!found) throw createServiceError(404, 'The response was not found.');
		getAccessibleForm(request, parts, found.form.id);
		const data = { pdf_url: `${parts.origin()}/pdf/${uuid}.pdf`, ...createSecrets(parts) };
		return { success: true, data };
	});

	api.post<{ Params: { id: string } }>('/forms/:id/response', (request) => {
		const form = getAccessibleForm(request, parts, request.params.id);
		const answers = checkAnswers(request.body, form.fields);
		const { is_closed: isClosed, closed_message: message } = form.settings;
		if (isClosed) throw createServiceError(403, String(message || 'This form is closed.'));
		const stored = shapes.trims ? lodash.mapValues(answers, trim) : answers;
		const { uuid } = store.addResponse(form.id, { answers: stored });
		return { success: true, message: 'Response added.', data: { uuid, ...createSecrets(parts) } };
	});
}

/**
 * Trims a string, and replaces an empty string with null, as many web frameworks do. Returns any other value
 * unchanged.
 */
function trim<T>(value: T): T | null {
	if (typeof value !== 'string') return value;
	return (value.trim() as T) || null;
}

/**
 * Returns the answers from the body of a request that adds a response. The keys must be UUIDs of the form's
 * fields. The answer to a file field must be a URL. Any other answer must be a string or a whole number
 * (specification, section 4).
 *
 * @throws ZodError if an answer is invalid
 */
function checkAnswers(body: unknown, fields: Field[]): Answers {
	const shape = fields.map(({ uuid, type }) => [
		uuid,
		type === 'file_upload'
			? z.string().url().transform(createFileAnswer)
			: z.union([z.string(), z.number().int()]),
	]);
	const data = z.object(Object.fromEntries(shape)).partial().strict();
	return z.object({ data }).parse(body).data as Answers;
}

/** Adds the endpoint that updates settings of a form. */
function addSettingsEndpoint(api: FastifyInstance, parts: Parts) {
	api.post<{ Params: { id: string } }>('/forms/:id/settings', (request) => {
		const form = getAccessibleForm(request, parts, request.params.id);
		const changes = settingsSchema.parse(request.body) as Settings;
		const stored = parts.shapes.trims ? lodash.mapValues(changes, trim) : changes;
		const { id, settings, updatedAt } = parts.store.editSettings(form.id, stored);
		return {
			success: true,
			message: 'Form settings updated.',
			data: { id, name: settings.name, updated_at: updatedAt, ...createSecrets(parts) },
		};
	});
}
