import type { FastifyInstance } from 'fastify';
import PDFDocument from 'pdfkit';
import type { Parts } from '../parts.mts';
import type { Field, Form } from '../store/forms.mts';
import type { Answer, Response } from '../store/responses.mts';
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

/** A summary of one response as a PDF: its form, number and time, and each answer under its label. */
async function renderPdf(
	response: Response,
	{ settings }: Form,
	fields: Field[],
	filesOrigin: string,
): Promise<Buffer> {
	const title = String(settings.name);
	const document = new PDFDocument({ margin: 56, info: { Title: title } });
	const chunks: Buffer[] = [];
	const done = new Promise<Buffer>((resolve, reject) => {
		document.on('data', (chunk: Buffer) => chunks.push(chunk));
		document.on('end', () => resolve(Buffer.concat(chunks)));
		document.on('error', reject);
	});

	document.font('Helvetica-Bold').fontSize(20).text(title).moveDown(0.25);
	const state = response.isIncomplete ? ', incomplete' : '';
	document
		.font('Helvetica')
		.fontSize(10)
		.fillColor('#555555')
		.text(`Response ${response.number}${state}, ${response.createdAt}`)
		.moveDown(1.5);
	for (const field of fields) {
		document.font('Helvetica-Bold').fontSize(11).fillColor('#000000').text(field.label);
		document
			.font('Helvetica')
			.text(asText(response.answers[field.uuid] ?? null, filesOrigin))
			.moveDown(0.75);
	}
	document.end();
	return await done;
}

function asText(answer: Answer, filesOrigin: string): string {
	if (answer === null || answer === '') return '-';
	if (!Array.isArray(answer)) return String(answer);
	return answer.map((entry) => entry.replace(/\|\/(?!\/)/, `: ${filesOrigin}/`)).join('\n');
}
