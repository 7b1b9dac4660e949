import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../parts.mts';
import type { Form } from '../store.mts';
import { renderForm } from './formPage.mts';
import { html, sendNotFound, sendPage } from './html.mts';
import { readAnswers } from './submission.mts';

type FormRequest = FastifyRequest<{ Params: { formId: string }; Body: URLSearchParams }>;

/** What people see: the list of forms, the login page, which lets nobody in, and the page of each form. */
export function pageRoutes({ store, origin }: Parts) {
	return async (pages: FastifyInstance) => {
		pages.addContentTypeParser(
			'application/x-www-form-urlencoded',
			{ parseAs: 'string' },
			async (_request: FastifyRequest, body: string) => new URLSearchParams(body),
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
			const content = closed ?? renderForm(form, store.fields(form.id));
			return sendPage(reply, nameOf(form), html`${content}`);
		});
		pages.post('/f/:formId', submit);
	};

	/** Takes a submission, unless mandatory fields are empty: the browser checks everything else. */
	function submit({ params, body }: FormRequest, reply: FastifyReply) {
		const form = store.form(params.formId);
		if (!form) return sendNotFound(reply);
		const closed = store.closedBecause(form);
		if (closed !== undefined) return sendPage(reply, nameOf(form), html`${closed}`, 403);
		const fields = store.fields(form.id);
		const missing = fields.filter(({ uuid, mandatory }) => mandatory && !body.get(uuid));
		if (missing.length > 0) {
			const labels = missing.map(({ label }) => label).join(', ');
			return sendPage(reply, nameOf(form), html`Go back and fill in: ${labels}`, 422);
		}
		store.addResponse(form.id, { answers: readAnswers(body, fields) });
		const { after_message: message } = form.settings;
		const text = String(message ?? store.firstAccount()?.workspace.after_message ?? '');
		return sendPage(reply, 'Thank you', html`${text.replaceAll(/<[^>]*>/g, '')}`);
	}
}

const nameOf = ({ settings }: Form) => String(settings.name);
