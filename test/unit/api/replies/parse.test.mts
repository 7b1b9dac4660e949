import { describe, expect, it } from 'vitest';
import { createAccount } from '../../../../nodes/FormService/api/account.ts';
import { unwrap } from '../../../../nodes/FormService/api/envelope.ts';
import { parsePdfLink, parseUpdatedForm } from '../../../../nodes/FormService/api/replies/parse.ts';
import type { RequestContext } from '../../../../nodes/FormService/api/requestContext.ts';

const uuid = '9b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d';

describe('a reply to a request that acts', () => {
	it.each<[unknown, string?]>([
		[{ success: true, data: { uuid } }, uuid],
		[{ message: 'Added.', data: { id: 'r-1', uuid } }, uuid],
		[{ data: uuid }, uuid],
		[{ uuid, data: { f1: 'Ada' } }, uuid],
		[{ data: { id: 7 } }, '7'],
		[{ success: 1, message: 'Added.', data: [] }],
	])('confirms that the service has acted by %j', (value, id) => {
		expect(unwrap(value)).toMatchObject({ isConfirmed: true, id });
	});

	it.each([
		...[null, 'Added.', [], {}, { message: 'Unauthenticated.' }],
		{ code: 422, message: 'The given data was invalid.', data: null },
		{ success: null, status: 'ok', data: {} },
		{ id: 'request-1', errors: { name: ['Too long.'] } },
		{ success: false, data: { uuid } },
	])('confirms nothing by %j', (value) => {
		expect(unwrap(value).isConfirmed).toBe(false);
	});
});

const account = createAccount({ accessToken: 'token', baseUrl: 'https://forms.example.com' });
const context = { account, n8n: { getNode: () => ({}) } } as unknown as RequestContext;

describe('the reply to updated settings', () => {
	const form = { id: 'aB3xY9', name: 'Contact', updated_at: '2026-11-22T09:30:00.000000Z' };

	it('has the form, and the message of the service', () => {
		const reply = { success: true, message: 'Updated.', data: form };
		expect(parseUpdatedForm(context, reply)).toEqual({ message: 'Updated.', ...form });
	});

	it.each(['id', 'name', 'updated_at'])(
		'is an error that says what was done without %s',
		(name) => {
			const parse = () =>
				parseUpdatedForm(context, { success: true, data: { ...form, [name]: null } });
			const description = "The settings are updated; don't send them again.";
			expect(parse).toThrow(expect.objectContaining({ description }));
		},
	);
});

describe('the link to a PDF', () => {
	const pdf = 'https://forms.example.com/files/1.pdf';

	const PAGE = 'https://forms.example.com/responses/1';

	it.each([
		['in data', { success: true, data: { pdf_url: pdf } }],
		['as data', { success: true, data: pdf }],
		['beside data that is null', { pdf_url: pdf, data: null }],
		['beside data that is an empty list', { pdf_url: pdf, data: [] }],
		['beside a link to a page', { url: 'https://forms.example.com/responses/1', pdf }],
		['as a path', { data: { url: '/files/1.pdf' } }],
		['under a name that is not known', { data: { summary_pdf_link: pdf } }],
		['as the address of a file', { data: { download_url: pdf, logo: PAGE } }],
	])('is found %s', (_, value) => {
		expect(parsePdfLink({ account } as RequestContext, value)).toBe(pdf);
	});

	it.each([
		{ data: { self: PAGE } },
		{ data: { logo: 'https://forms.example.com/logo.png' } },
		{ data: { form: { url: PAGE } } },
		{ data: { links: { self: PAGE } } },
		{ data: { pdf_url: 'http://[' } },
		{ data: { pdf_url: 'javascript:alert(1)' } },
		{ data: { pdf_url: 42 } },
	])('is not taken from %j', (value) => {
		expect(() => parsePdfLink(context, value)).toThrow(
			'Unexpected reply instead of a link to a PDF: ',
		);
	});

	it.each([
		{ data: { pdf_url: null, form: { url: PAGE } } },
		{ data: { pdf_url: '', url: PAGE } },
		{ data: { pdf_url: null }, url: PAGE },
	])('is not there yet, and no other link is taken, in %j', (value) => {
		expect(() => parsePdfLink(context, value)).toThrow(
			expect.objectContaining({
				message: 'Form Service has no PDF of this response',
				description: 'Form Service may still be creating the PDF. Try again later.',
				failure: { cause: 'temporarily-unavailable' },
			}),
		);
	});
});
