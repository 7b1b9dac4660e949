import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Parts } from '../parts.mts';
import type { Form } from '../store/forms.mts';
import { answersOf, faultsOf, readForm, type Submitted, textsOf } from './answers.mts';
import { closedPage, formPage, notFoundPage, thankYouPage } from './formPage.mts';
import { sendPage } from './layout.mts';

type FormRequest = { Params: { formId: string }; Body: Submitted };

const UPLOAD_LIMIT = 20 * 1024 * 1024;

/** The public page of each form: show it, take a submission, take what is typed until then. */
export function formRoutes(parts: Parts) {
	const { store } = parts;
	return async (pages: FastifyInstance) => {
		pages.addContentTypeParser(
			['multipart/form-data', 'application/x-www-form-urlencoded'],
			{ parseAs: 'buffer', bodyLimit: UPLOAD_LIMIT },
			async (request: FastifyRequest, body: Buffer) =>
				await readForm(request.headers['content-type']!, body),
		);

		pages.get<FormRequest>('/f/:formId', (request, reply) => {
			const form = store.form(request.params.formId);
			if (!form) return sendPage(reply, notFoundPage);
			const closed = store.closedBecause(form);
			if (closed) return sendPage(reply, closedPage(form, closed, 200));
			return sendPage(reply, formPage(form, store.fields(form.id), randomUUID()));
		});

		pages.post<FormRequest>('/f/:formId', async (request, reply) => {
			const form = store.form(request.params.formId);
			if (!form) return await sendPage(reply, notFoundPage);
			const account = store.account(form.accountId)!;
			const draft = draftOf(request.body);
			if (!alreadyTaken(form, draft)) {
				const closed = store.closedBecause(form);
				if (closed) return await sendPage(reply, closedPage(form, closed, 403));
				const fields = store.fields(form.id);
				const faults = faultsOf(request.body, fields, String(account.workspace.field_errormessage));
				if (Object.keys(faults).length > 0) {
					const states = fields.map((field) => [
						field.uuid,
						{ values: textsOf(request.body, field), fault: faults[field.uuid] },
					]);
					return await sendPage(
						reply,
						formPage(form, fields, draft ?? randomUUID(), Object.fromEntries(states)),
					);
				}
				await take(form, request, false);
			}
			return await sendPage(reply, thankYouPage(form, account));
		});

		pages.post<FormRequest>('/f/:formId/partial', async (request, reply) => {
			const form = store.form(request.params.formId);
			if (!form) return await sendPage(reply, notFoundPage);
			const draft = draftOf(request.body);
			const wanted = form.trackIncomplete && !store.closedBecause(form) && draft !== undefined;
			// A draft can arrive after its submission, which must stay complete.
			if (wanted && !alreadyTaken(form, draft)) await take(form, request, true);
			return reply.code(204).send();
		});
	};

	function alreadyTaken(form: Form, draft: string | undefined): boolean {
		const response = draft === undefined ? undefined : store.responseOfDraft(form.id, draft);
		return response !== undefined && !response.isIncomplete;
	}

	/** Stores a submission; the one that was being typed under the same draft becomes it. */
	async function take(form: Form, request: FastifyRequest<FormRequest>, incomplete: boolean) {
		const draft = draftOf(request.body);
		const answers = await answersOf(request.body, store.fields(form.id), store);
		// No other request runs between this lookup and the storing, so two requests never add two responses.
		const known = draft === undefined ? undefined : store.responseOfDraft(form.id, draft);
		const empty = Object.values(answers).every((answer) => answer === null);
		if (!known) {
			if (incomplete && empty) return;
			const { referer: referrer } = request.headers;
			store.addResponse(form.id, { answers, incomplete, draft, referrer });
		} else if (known.isIncomplete) {
			if (incomplete) store.editResponse(known.uuid, answers);
			else store.completeResponse(known.uuid, answers);
		}
	}
}

function draftOf(submitted: Submitted): string | undefined {
	const draft = submitted.get('draft');
	return typeof draft === 'string' && draft !== '' ? draft : undefined;
}
