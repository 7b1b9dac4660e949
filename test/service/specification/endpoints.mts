import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Parts } from '../parts.mts';
import type { Answers, Field, Form, Response } from '../store.mts';
import { createAccessCheck, createServiceError, getAccessibleForm } from './access.mts';
import { createListBody } from './lists.mts';
import {
	addSecrets,
	createFieldRecord,
	createFileAnswer,
	createFormRecord,
	createResponseRecord,
} from './records.mts';
import { settingsSchema, type Settings } from './settingsRules.mts';

/** The endpoints of the API (specification, section 4). */
export function createApi(parts: Parts) {
	return async (api: FastifyInstance) => {
		api.addHook('onRequest', createAccessCheck(parts));
		api.addHook<{ data?: object }>('preSerialization', async ({ fault }, _reply, body) => {
			const { secret } = parts;
			if (secret === undefined || !body.data || fault?.stage === 'instead') return body;
			return { ...body, data: addSecrets(body.data, secret) };
		});
		addFormEndpoints(api, parts);
		addResponseEndpoints(api, parts);
		addSettingsEndpoint(api, parts);
	};
}

function addFormEndpoints(api: FastifyInstance, parts: Parts) {
	const { store } = parts;

	api.get('/workspace', (request) => ({ success: true, data: request.account?.workspace }));

	api.get('/forms', (request) => {
		const forms = store.forms(request.account?.id);
		const createRecord = (form: Form) => createFormRecord(form, parts.url);
		return createListBody(forms, createRecord, request, parts);
	});

	api.get<{ Params: { id: string } }>('/forms/:id/fields', (request) => {
		const { fields } = getAccessibleForm(request, parts, request.params.id);
		return createListBody(fields, createFieldRecord, request, parts);
	});
}

function addResponseEndpoints(api: FastifyInstance, parts: Parts) {
	const { store } = parts;

	api.get<{ Params: { formId: string }; Querystring: { incomplete?: unknown } }>(
		'/responses/:formId',
		(request) => {
			const form = getAccessibleForm(request, parts, request.params.formId);
			const { incomplete } = request.query;
			const responses = form.responses.filter(
				({ isIncomplete }) =>
					(form.trackIncomplete || !isIncomplete) &&
					(incomplete === undefined || String(isIncomplete) === incomplete),
			);
			const createRecord = (response: Response) => createResponseRecord(response, form, parts.url);
			return createListBody(responses.toReversed(), createRecord, request, parts);
		},
	);

	api.get<{ Params: { uuid: string } }>('/response/:uuid/pdf', (request) => {
		const { uuid } = request.params;
		const found = store.response(uuid);
		if (!found) throw createServiceError(404, 'The response was not found.');
		getAccessibleForm(request, parts, found.form.id);
		return { success: true, data: { pdf_url: `${parts.url}/pdf/${uuid}.pdf` } };
	});

	api.post<{ Params: { id: string } }>('/forms/:id/response', (request) => {
		const form = getAccessibleForm(request, parts, request.params.id);
		const answers = checkAnswers(request.body, form.fields);
		const { is_closed: isClosed, closed_message: message } = form.settings;
		if (isClosed) throw createServiceError(403, String(message || 'This form is closed.'));
		const { uuid } = store.addResponse(form.id, { answers });
		return { success: true, message: 'Response added.', data: { uuid } };
	});
}

/** Returns the answers from the body of a request that adds a response (specification, section 4). */
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

function addSettingsEndpoint(api: FastifyInstance, parts: Parts) {
	api.post<{ Params: { id: string } }>('/forms/:id/settings', (request) => {
		const form = getAccessibleForm(request, parts, request.params.id);
		const changes = settingsSchema.parse(request.body) as Settings;
		const { id, settings, updatedAt } = parts.store.editSettings(form.id, changes);
		return {
			success: true,
			message: 'Form settings updated.',
			data: { id, name: settings.name, updated_at: updatedAt },
		};
	});
}
