import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../parts.mts';
import type { Form } from '../store.mts';
import { formPage } from './formPage.mts';
import { html, Markup, notFoundPage, sendPage } from './html.mts';
import { findFault, readAnswers, readTexts } from './submission.mts';

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
				const state = settings.is_closed ? 'closed' : `${store.completeCount(id)} responses`;
				return html`<li><a href="/f/${id}">${settings.name as string}</a> ${id}, ${state}</li>`;
			});
			const content = html`<h1>${store.firstAccount()?.workspace.name}</h1>
				<p>This is a stand-in for Form Service. Do not give it real data.</p>
				<ul>
					${rows}
				</ul>
				<p>Base URL of the API: <code>${origin()}/api/v1</code></p>`;
			return sendPage(reply, { title: 'Form Service (stand-in)', content });
		});
		pages.get('/login', (_request, reply) =>
			sendPage(reply, {
				title: 'Log in',
				content: html`<h1>Log in</h1>
					<p>A request to the API without <code>Accept: application/json</code> ends here.</p>`,
			}),
		);
		pages.get('/f/:formId', (request: FormRequest, reply) => {
			const form = store.form(request.params.formId);
			if (!form) return sendPage(reply, notFoundPage);
			const closed = store.closedBecause(form);
			if (closed !== undefined) return sendClosed(reply, form, closed, 200);
			return sendPage(reply, formPage(form, store.fields(form.id), randomUUID()));
		});
		pages.post('/f/:formId', submit);
		pages.post('/f/:formId/partial', async (request: FormRequest, reply) => {
			const form = store.form(request.params.formId);
			const isWanted = form?.trackIncomplete && store.closedBecause(form) === undefined;
			if (isWanted && readDraft(request) !== undefined) await take(form, request, true);
			return reply.code(204).send();
		});
	};

	function sendClosed(reply: FastifyReply, form: Form, reason: string, status: number) {
		const title = String(form.settings.name);
		return sendPage(reply, {
			title,
			status,
			content: html`<h1>${title}</h1>
				<p>${reason}</p>`,
		});
	}

	async function submit(request: FormRequest, reply: FastifyReply) {
		const form = store.form(request.params.formId);
		if (!form) return await sendPage(reply, notFoundPage);
		const closed = store.closedBecause(form);
		if (closed !== undefined) return await sendClosed(reply, form, closed, 403);
		const fields = store.fields(form.id);
		const states = fields.map((field) => {
			const values = readTexts(request.body, field);
			return [field.uuid, { values, fault: findFault(request.body, field) }] as const;
		});
		if (states.some(([, { fault }]) => fault !== undefined)) {
			const draft = readDraft(request) ?? randomUUID();
			return await sendPage(reply, formPage(form, fields, draft, Object.fromEntries(states)));
		}
		await take(form, request, false);
		const { workspace } = store.account(form.accountId)!;
		const message = form.settings.after_message ?? workspace.after_message ?? '';
		const content = html`<h1>Thank you</h1>
			${new Markup(String(message))}`;
		return await sendPage(reply, { title: 'Thank you', content });
	}

	/** Stores a submission; a response that was typed under the same draft becomes it. */
	async function take(form: Form, request: FormRequest, incomplete: boolean) {
		const draft = readDraft(request);
		const answers = await readAnswers(request.body, store.fields(form.id), store);
		// no other request runs between this lookup and the storing, so two requests never add two responses
		const known = draft === undefined ? undefined : store.responseOfDraft(form.id, draft);
		const isEmpty = Object.values(answers).every((answer) => answer === null);
		if (!known) {
			const { referer: referrer } = request.headers;
			if (incomplete && isEmpty) return;
			store.addResponse(form.id, { answers, incomplete, draft, referrer });
		} else if (known.isIncomplete) {
			if (incomplete) store.editResponse(known.uuid, answers);
			else store.completeResponse(known.uuid, answers);
		}
	}
}

function readDraft({ body }: FormRequest): string | undefined {
	const draft = body.get('draft');
	return typeof draft === 'string' && draft !== '' ? draft : undefined;
}
