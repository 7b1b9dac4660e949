import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import lodash from 'lodash';
import type { Parts } from './parts.mts';
import { createFileAnswer } from './specification/records.mts';
import type { Answer, Field } from './store.mts';

type FormRequest = FastifyRequest<{ Params: { formId: string }; Body: URLSearchParams }>;

/** Adds what users see in a browser without a token: the forms, their pages, PDFs, and uploaded files. */
export function createPages(parts: Parts) {
	const { store } = parts;
	return async (pages: FastifyInstance) => {
		pages.addContentTypeParser(
			'application/x-www-form-urlencoded',
			{ parseAs: 'string' },
			async (_request: FastifyRequest, body: string) => new URLSearchParams(body),
		);
		pages.get('/', (_request, reply) => {
			const rows = store.forms().map(({ id, settings }) => {
				return `<li><a href="/f/${id}">${lodash.escape(String(settings.name))}</a> ${id}</li>`;
			});
			const address = `<p>Base URL of the API: <code>${parts.url}/api/v1</code></p>`;
			return sendPage(reply, 'Forms', `<ul>${rows.join('')}</ul>${address}`);
		});
		pages.get('/f/:formId', ({ params }: FormRequest, reply) => {
			const form = store.form(params.formId);
			if (!form) return reply.callNotFound();
			const { name, is_closed: isClosed, closed_message: message } = form.settings;
			const inputs = form.fields.map(renderField).join('');
			const content = `<form method="post">${inputs}<button>Submit</button></form>`;
			const closed = lodash.escape(String(message ?? 'This form is closed.'));
			return sendPage(reply, String(name), isClosed ? closed : content);
		});
		pages.post('/f/:formId', ({ params, body }: FormRequest, reply) => {
			const form = store.form(params.formId);
			if (!form || form.settings.is_closed) return reply.callNotFound();
			const answers = form.fields.map((field) => [field.uuid, readAnswer(field, body)] as const);
			store.addResponse(form.id, { answers: Object.fromEntries(answers) });
			return sendPage(reply, 'Thank you', 'Your response was added.');
		});
		pages.get<{ Params: { uuid: string } }>('/pdf/:uuid.pdf', ({ params }, reply) => {
			if (!store.response(params.uuid)) return reply.callNotFound();
			return reply.type('application/pdf').send(`%PDF-1.4\n% response ${params.uuid}\n%%EOF\n`);
		});
		pages.get<{ Params: { id: string } }>('/files/:id/:name', ({ params }, reply) => {
			const file = store.file(params.id);
			return file ? reply.type(file.type).send(Buffer.from(file.data)) : reply.callNotFound();
		});
	};
}

function sendPage(reply: FastifyReply, title: string, content: string) {
	const head = `<!doctype html><meta charset="utf-8"><title>${lodash.escape(title)}</title>`;
	const foot = '<p><small>A stand-in for Form Service, for tests and demos.</small></p>';
	return reply.type('text/html').send(`${head}<h1>${lodash.escape(title)}</h1>${content}${foot}`);
}

function renderField({ uuid, label, options, mandatory }: Field): string {
	const hint = options ? ` placeholder="${lodash.escape(options.join(', '))}"` : '';
	const input = `<input name="${uuid}" size="60"${hint}${mandatory ? ' required' : ''}>`;
	return `<p><label>${lodash.escape(label)}<br>${input}</label></p>`;
}

/** A file is entered by its address, and several choices with commas. */
function readAnswer({ uuid, type }: Field, body: URLSearchParams): Answer {
	const text = body.get(uuid)?.trim();
	if (!text) return null;
	if (type === 'multiple_choice') return text.split(/\s*,\s*/);
	return type === 'file_upload' && URL.canParse(text) ? createFileAnswer(text) : text;
}
