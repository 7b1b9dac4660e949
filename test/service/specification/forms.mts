import type { FastifyInstance } from 'fastify';
import { listing } from './listing.mts';
import type { Parts } from '../parts.mts';
import { fieldRecord, formRecord, secretsOf } from './records.mts';
import { accountOf, addressOf, formOf } from './access.mts';

/** Endpoints 1 to 3: the workspace, its forms with their fields, the fields of one form. */
export function formEndpoints(api: FastifyInstance, parts: Parts) {
	const { store, shapes, origin, secret } = parts;

	api.get('/workspace', (request) => ({
		success: true,
		data: { ...secretsOf(secret), ...accountOf(request).workspace },
	}));

	api.get('/forms', (request) => {
		const records = store.forms(accountOf(request).id).map((form) => {
			const page = `${origin()}/f/${form.id}`;
			return formRecord(form, store.fields(form.id), page, shapes, secret);
		});
		return listing(records, shapes, addressOf(request, parts));
	});

	api.get<{ Params: { id: string } }>('/forms/:id/fields', (request) => {
		const form = formOf(request, parts, request.params.id);
		const records = store.fields(form.id).map((field) => fieldRecord(field, shapes, secret));
		return listing(records, shapes, addressOf(request, parts));
	});
}
