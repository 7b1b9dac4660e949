import PDFDocument from 'pdfkit';
import type { Field, Form } from '../store/forms.mts';
import type { Answer, Response } from '../store/responses.mts';

/** A summary of one response as a PDF: its form, number and time, and each answer under its label. */
export async function renderPdf(
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
