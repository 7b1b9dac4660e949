import type { FastifyInstance } from 'fastify';
import { renderPdf } from './pdf.mts';
import type { Parts } from '../parts.mts';
import { notFoundPage } from './formPage.mts';
import { sendPage } from './layout.mts';

/** PDFs and uploaded files. Their addresses cannot be guessed, and so no token is asked for. */
export function fileRoutes({ store, filesOrigin }: Parts) {
	return async (pages: FastifyInstance) => {
		pages.get<{ Params: { name: string } }>('/pdf/:name.pdf', async (request, reply) => {
			const response = store.responseOfPdf(request.params.name);
			const form = response && store.form(response.formId);
			if (!response || !form) return await sendPage(reply, notFoundPage);
			const pdf = await renderPdf(response, form, store.fields(form.id), filesOrigin());
			const name = `response-${response.number}.pdf`;
			return await reply
				.type('application/pdf')
				.header('content-disposition', `inline; filename="${name}"`)
				.send(pdf);
		});

		pages.get<{ Params: { id: string; name: string } }>('/files/:id/:name', (request, reply) => {
			const file = store.file(request.params.id);
			if (!file) return sendPage(reply, notFoundPage);
			const name = encodeURIComponent(file.name);
			return reply
				.type(file.type || 'application/octet-stream')
				.header('content-disposition', `attachment; filename*=UTF-8''${name}`)
				.header('x-content-type-options', 'nosniff')
				.send(Buffer.from(file.data));
		});
	};
}
