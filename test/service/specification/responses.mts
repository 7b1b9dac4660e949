import type { FastifyInstance } from 'fastify';
import { arrange, listing } from './listing.mts';
import type { Parts } from '../parts.mts';
import { fileAnswer, responseRecord } from './records.mts';
import { isWebAddress } from './settingsRules.mts';
import type { Field } from '../store/forms.mts';
import type { Answer, Answers, Response } from '../store/responses.mts';
import { closedBecause } from '../store/submissions.mts';
import { addressOf, formOf } from './access.mts';
import { invalid, ServiceError } from './envelope.mts';
import { objectOf } from './settings.mts';

/** Endpoints 4 to 6: the responses of a form, a link to one's PDF, and adding one. */
export function responseEndpoints(api: FastifyInstance, parts: Parts) {
	const { store, shapes, secret } = parts;

	api.get<{ Params: { formId: string }; Querystring: { incomplete?: unknown } }>(
		'/responses/:formId',
		(request) => {
			const form = formOf(request, parts, request.params.formId);
			const wanted = wantedState(request.query.incomplete);
			const responses = store
				.responses(form.id)
				.filter(({ isIncomplete }) => form.trackIncomplete || !isIncomplete)
				.filter(({ isIncomplete }) => wanted === undefined || isIncomplete === wanted);
			const fields = store.fields(form.id);
			const records = arrange(responses, shapes).map((response) =>
				responseRecord(response, form, fields, shapes, parts.filesOrigin(), secret),
			);
			return listing(records, shapes, addressOf(request, parts));
		},
	);

	api.get<{ Params: { uuid: string } }>('/response/:uuid/pdf', (request) => {
		const response = store.response(request.params.uuid);
		if (!response || response.deleted) throw new ServiceError(404, 'The response was not found.');
		formOf(request, parts, response.formId);
		const url = `${parts.filesOrigin()}/pdf/${response.pdfName}.pdf`;
		return {
			nested: { success: true, data: { pdf_url: url } },
			topPdfUrl: { success: true, pdf_url: url },
			topUrl: { success: true, url },
		}[shapes.pdf];
	});

	api.post<{ Params: { id: string } }>('/forms/:id/response', (request) => {
		const form = formOf(request, parts, request.params.id);
		const answers = checkAnswers(request.body, store.fields(form.id));
		const closed = closedBecause(form, store);
		if (closed) throw new ServiceError(403, closed);
		const response = store.addResponse(form.id, { answers });
		return confirmation(response, shapes.created);
	});
}

/** Rule 1 of section 4. */
function wantedState(incomplete: unknown): boolean | undefined {
	if (incomplete === undefined) return undefined;
	if (incomplete === 'true' || incomplete === 'false') return incomplete === 'true';
	throw invalid({ incomplete: ['The incomplete parameter must be true or false.'] });
}

/** Rules 2 and 3 of section 4: keys are UUIDs of the form's fields, values strings or integers. */
function checkAnswers(body: unknown, fields: Field[]): Answers {
	const { data } = objectOf(body);
	if (typeof data !== 'object' || data === null || Array.isArray(data)) {
		throw invalid({ data: ['The data must be an object of field UUIDs and values.'] });
	}
	if (Object.keys(data).length === 0) throw invalid({ data: ['The data must not be empty.'] });

	const errors: Record<string, string[]> = {};
	const answers: Answers = {};
	for (const [uuid, value] of Object.entries(data)) {
		const field = fields.find((candidate) => candidate.uuid === uuid);
		const fault = field ? faultOf(field, value) : 'is not a field of this form.';
		if (fault !== undefined) errors[`data.${uuid}`] = [`The data.${uuid} ${fault}`];
		else answers[uuid] = field?.type === 'file_upload' ? fileAnswer(value) : (value as Answer);
	}
	if (Object.keys(errors).length > 0) throw invalid(errors);
	return answers;
}

function faultOf({ type }: Field, value: unknown): string | undefined {
	if (typeof value !== 'string' && !Number.isSafeInteger(value)) {
		return 'must be a string or an integer.';
	}
	if (type === 'file_upload' && !(typeof value === 'string' && isWebAddress(value))) {
		return 'must be the absolute URL of an uploaded file.';
	}
	return undefined;
}

function confirmation({ uuid }: Response, shape: 'nested' | 'uuid' | 'id' | 'message') {
	const start = { success: true, message: 'Response added.' };
	return {
		nested: { ...start, data: { uuid } },
		uuid: { ...start, uuid },
		id: { ...start, id: uuid },
		message: start,
	}[shape];
}
