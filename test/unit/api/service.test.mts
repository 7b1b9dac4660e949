import { describe, expect, it } from 'vitest';
import { createAccount } from '../../../nodes/FormService/api/account.ts';
import { unwrapEnvelope } from '../../../nodes/FormService/api/envelope.ts';
import type { RequestContext } from '../../../nodes/FormService/api/requestContext.ts';
import { parsePdfLink } from '../../../nodes/FormService/api/service.ts';

const account = createAccount({ accessToken: 'token', baseUrl: 'https://forms.example.com' });
const context = { account, n8n: { getNode: () => ({}) } } as unknown as RequestContext;

describe('the link to a PDF', () => {
	const pdf = 'https://forms.example.com/files/1.pdf';
	const page = 'https://forms.example.com/responses/1';

	it.each([
		['in data', { success: true, data: { pdf_url: pdf } }],
		['as data', { success: true, data: pdf }],
		['beside data that is null', { pdf_url: pdf, data: null }],
		['beside a link to a page', { url: page, pdf }],
		['as a path', { data: { url: '/files/1.pdf' } }],
		['under any name', { data: { somewhere: { summary: [pdf] } } }],
		['twice', { data: { url: pdf }, url: pdf }],
	])('is found %s', (_, value) => {
		expect(parsePdfLink(context, unwrapEnvelope(value))).toBe(pdf);
	});

	it.each([
		{ data: { self: page, next: pdf, previous: null } },
		{ data: { pdf_url: 'http://[' } },
		{ data: { pdf_url: 'javascript:alert(1)' } },
		{ data: { pdf_url: 42 } },
		{ data: { ready: true } },
	])('is not taken from %j', (value) => {
		expect(() => parsePdfLink(context, unwrapEnvelope(value))).toThrow(
			'Unexpected reply instead of a link to a PDF: ',
		);
	});

	it.each([
		{ data: { pdf_url: null, form: { url: page } } },
		{ data: { pdf_url: '', url: page } },
		{ data: { pdf_url: null }, url: page },
		{ data: { link: null } },
		{ success: true, data: null },
	])('is not there yet, and no other link is taken, in %j', (value) => {
		expect(() => parsePdfLink(context, unwrapEnvelope(value))).toThrow(
			expect.objectContaining({
				message: 'Form Service has no PDF of this response',
				description: 'Form Service may still be creating the PDF. Try again later.',
				failure: { cause: 'temporarily-unavailable' },
			}),
		);
	});
});
