import type { FastifyInstance } from 'fastify';
import type { Parts } from '../parts.mts';
import { sendNotFound } from './html.mts';

/**
 * PDFs and uploaded files. Their addresses cannot be guessed, so no token is asked for. A PDF is sent only to
 * a client that accepts PDFs (RFC 9110, section 15.5.7).
 */
export function fileRoutes({ store }: Parts) {
	return async (pages: FastifyInstance) => {
		pages.get<{ Params: { uuid: string } }>('/pdf/:uuid.pdf', (request, reply) => {
			const response = store.response(request.params.uuid);
			if (!response) return sendNotFound(reply);
			const { accept = '*/*' } = request.headers;
			if (!/application\/pdf|\*\/\*/i.test(accept)) return reply.code(406).send();
			const lines = store.fields(response.formId).flatMap(({ uuid, label }) => {
				return [`${label}:`, ...String(response.answers[uuid] ?? '-').split('\n'), ''];
			});
			const title = `Response ${response.number}, ${response.createdAt}`;
			return reply.type('application/pdf').send(renderPdf([title, '', ...lines]));
		});

		pages.get<{ Params: { id: string } }>('/files/:id/:name', (request, reply) => {
			const file = store.file(request.params.id);
			if (!file) return sendNotFound(reply);
			return reply
				.type(file.type || 'application/octet-stream')
				.header('content-disposition', 'attachment')
				.send(Buffer.from(file.data));
		});
	};
}

function renderPdf(lines: string[]): Buffer {
	const texts = lines.map((line) => `(${line.replace(/[()\\]/g, '\\$&')}) Tj T*`);
	const stream = `BT /F1 11 Tf 15 TL 56 780 Td\n${texts.join('\n')}\nET`;
	const objects = [
		'<< /Type /Catalog /Pages 2 0 R >>',
		'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
		'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
		`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
		'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
	].map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`);
	const trailer = `trailer\n<< /Size 6 /Root 1 0 R >>\n%%EOF\n`;
	return Buffer.from(`%PDF-1.4\n${objects.join('')}${trailer}`, 'latin1');
}
