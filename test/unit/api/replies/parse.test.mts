import { describe, expect, it } from 'vitest';
import { createAccount } from '../../../../nodes/FormService/api/account.ts';
import {
	parseAddedResponse,
	parsePdfLink,
} from '../../../../nodes/FormService/api/replies/parse.ts';
import type { RequestContext } from '../../../../nodes/FormService/api/requestContext.ts';

const uuid = '9b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d';

describe('what the service says of a new response', () => {
	it.each([
		['its UUID in data', { success: true, data: { uuid } }, { uuid }],
		['a message beside it', { message: 'Added.', data: { uuid } }, { message: 'Added.', uuid }],
		['the UUID alone', { success: true, data: uuid }, { uuid }],
		['the UUID beside its data', { uuid, data: { f1: 'Ada' } }, { uuid, f1: 'Ada' }],
		['the UUID beside nothing', { success: true, uuid, data: null }, { uuid }],
		['an id', { success: true, data: { id: 7 } }, { id: 7 }],
		['a message only', { success: true, message: 'Added.', data: [] }, { message: 'Added.' }],
		['nothing at all', { success: true, data: null }, { success: true }],
	])('is given, where it is %s', (_, value, given) => {
		expect(parseAddedResponse(value)).toEqual(given);
	});
});

describe('the link to a PDF', () => {
	const account = createAccount({ accessToken: 'token', baseUrl: 'https://forms.example.com' });
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

	const context = { account, n8n: { getNode: () => ({}) } } as unknown as RequestContext;

	it.each([
		{ data: { self: PAGE } },
		{ data: { logo: 'https://forms.example.com/logo.png' } },
		{ data: { form: { url: PAGE } } },
		{ data: { links: { self: PAGE } } },
		{ data: { pdf_url: 'http://[' } },
		{ data: { pdf_url: 'javascript:alert(1)' } },
		{ data: { pdf_url: 42 } },
	])('is not taken from %j', (value) => {
		expect(() => parsePdfLink(context, value)).toThrow('did not send a link to a PDF');
	});

	it.each([
		{ data: { pdf_url: null, form: { url: PAGE } } },
		{ data: { pdf_url: '', url: PAGE } },
		{ data: { pdf_url: null }, url: PAGE },
	])('is not there yet, and no other link is taken, in %j', (value) => {
		expect(() => parsePdfLink(context, value)).toThrow('Form Service has no PDF of this response');
	});
});
