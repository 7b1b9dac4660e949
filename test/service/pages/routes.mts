import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../parts.mts';
import type { Form } from '../store.mts';
import { renderForm } from './formPage.mts';
import { html, sendNotFound, sendPage } from './html.mts';
import { readAnswers } from './submission.mts';

type FormRequest = FastifyRequest<{ Params: { formId: string }; Body: FormData }>;

const UPLOAD_LIMIT = 20 * 1024 * 1024;

/** What people see: the list of forms, the login page, which lets nobody in, and the page of each form. */
export function pageRoutes({ store, origin }: Parts) {
	return async (pages: FastifyInstance) => {
		pages.addContentTypeParser(
			['multipart/form-data', 'application/x-www-form-urlencoded'],
			{ parseAs: 'buffer', bodyLimit: UPLOAD_LIMIT },
			async ({ headers }: FastifyRequest, body: Buffer) => {
				const type = { 'content-type': headers['content-type']! };
				return await new Response(new Uint8Array(body), { headers: type }).formData();
			},
		);
		pages.get('/', (_request, reply) => {
			const rows = store.forms().map(({ id, settings }) => {
				return html`<li><a href="/f/${id}">${settings.name as string}</a> ${id}</li>`;
			});
			const content = html`<p>Do not give this stand-in real data.</p>
				<ul>
					${rows}
				</ul>
				<p>Base URL of the API: <code>${origin()}/api/v1</code></p>`;
			return sendPage(reply, 'Form Service (stand-in)', content);
		});
		pages.get('/login', (_request, reply) => {
			const content = html`A request to the API without <code>Accept: application/json</code> ends
				here.`;
			return sendPage(reply, 'Log in', content);
		});
		pages.get('/f/:formId', (request: FormRequest, reply) => {
			const form = store.form(request.params.formId);
			if (!form) return sendNotFound(reply);
			const closed = store.closedBecause(form);
			const content = closed ?? renderForm(form, store.fields(form.id), randomUUID());
			return sendPage(reply, nameOf(form), html`${content}`);
		});
		pages.post('/f/:formId', submit);
		pages.post('/f/:formId/partial', async (request: FormRequest, reply) => {
			const form = store.form(request.params.formId);
			const isWanted = form?.trackIncomplete && store.closedBecause(form) === undefined;
			if (isWanted && request.body.get('draft')) await take(form, request, true);
			return reply.code(204).send();
		});
	};

	/** Takes a submission, unless mandatory fields are empty: the browser checks everything else. */
	async function submit(request: FormRequest, reply: FastifyReply) {
		const form = store.form(request.params.formId);
		if (!form) return await sendNotFound(reply);
		const closed = store.closedBecause(form);
		if (closed !== undefined) return await sendPage(reply, nameOf(form), html`${closed}`, 403);
		const missing = store
			.fields(form.id)
			.filter(({ uuid, mandatory }) => mandatory && !request.body.get(uuid))
			.map(({ label }) => label);
		if (missing.length > 0) {
			const text = html`Please go back and fill in: ${missing.join(', ')}`;
			return await sendPage(reply, nameOf(form), text, 422);
		}
		await take(form, request, false);
		const { after_message: message } = form.settings;
		const text = String(message ?? store.firstAccount()?.workspace.after_message ?? '');
		return await sendPage(reply, 'Thank you', html`<p>${text.replaceAll(/<[^>]*>/g, '')}</p>`);
	}

	/** Stores a submission; a response that was typed under the same draft becomes it. */
	async function take(form: Form, request: FormRequest, incomplete: boolean) {
		const draft = (request.body.get('draft') as string | null) ?? undefined;
		const answers = await readAnswers(request.body, store.fields(form.id), store);
		// no other request runs between this lookup and the storing, so two requests never add two responses
		const known = store.responses(form.id).find((one) => draft && one.draft === draft);
		const isEmpty = Object.values(answers).every((answer) => answer === null);
		if (known?.isIncomplete) {
			if (incomplete) store.editResponse(known.uuid, answers);
			else store.completeResponse(known.uuid, answers);
		} else if (!known && !(incomplete && isEmpty)) {
			store.addResponse(form.id, { answers, incomplete, draft });
		}
	}
}

const nameOf = ({ settings }: Form) => String(settings.name);
