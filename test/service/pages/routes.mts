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
			'multipart/form-data',
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
			const content = html`<ul>
					${rows}
				</ul>
				<p>Base URL of the API: <code>${origin()}/api/v1</code></p>`;
			return sendPage(reply, 'Forms', content);
		});
		pages.get('/login', (_request, reply) => sendPage(reply, 'Log in', html`Nobody can log in.`));
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
			if (form?.trackIncomplete) await take(form, request.body, true);
			// the page stays as it is
			return reply.code(204).send();
		});
	};

	/** Takes a submission, unless mandatory fields are empty: the browser checks everything else. */
	async function submit({ params, body }: FormRequest, reply: FastifyReply) {
		const form = store.form(params.formId);
		if (!form) return await sendNotFound(reply);
		const closed = store.closedBecause(form);
		if (closed !== undefined) return await sendPage(reply, nameOf(form), html`${closed}`, 403);
		const fields = store.fields(form.id);
		const missing = fields.filter(({ uuid, mandatory }) => mandatory && !body.get(uuid));
		if (missing.length > 0) {
			const labels = missing.map(({ label }) => label).join(', ');
			return await sendPage(reply, nameOf(form), html`Go back and fill in: ${labels}`, 422);
		}
		await take(form, body, false);
		const { after_message: message } = form.settings;
		const text = String(message ?? store.firstAccount()?.workspace.after_message ?? '');
		return await sendPage(reply, 'Thank you', html`${text.replaceAll(/<[^>]*>/g, '')}`);
	}

	/** Stores a submission; a response that was saved under the same draft becomes it. */
	async function take({ id }: Form, body: FormData, incomplete: boolean) {
		const uuid = String(body.get('draft'));
		const answers = await readAnswers(body, store.fields(id), store);
		// no other request runs between this lookup and the storing, so two requests never add two responses
		const known = store.response(uuid);
		if (!known) store.addResponse(id, { uuid, answers, incomplete });
		else if (incomplete) store.editResponse(uuid, answers);
		else store.completeResponse(uuid, answers);
	}
}

const nameOf = ({ settings }: Form) => String(settings.name);
