import { Readable } from 'node:stream';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAccount } from '../../../../nodes/FormService/api/account.ts';
import { clock } from '../../../../nodes/FormService/api/clock.ts';
import { endpoints, createTarget } from '../../../../nodes/FormService/api/endpoints.ts';
import type { Endpoint } from '../../../../nodes/FormService/api/endpoints.ts';
import type { ServiceError } from '../../../../nodes/FormService/api/errors.ts';
import { request } from '../../../../nodes/FormService/api/request/request.ts';
import type { RequestContext } from '../../../../nodes/FormService/api/requestContext.ts';

type Answer = { status?: number; headers?: IDataObject; body?: unknown } | Error;

const { now, sleep } = clock;
let accounts = 0;

beforeEach(() => {
	let time = 1_800_000_000_000;
	clock.now = () => time;
	clock.sleep = async (ms) => {
		time += ms;
		await Promise.resolve();
	};
});
afterEach(() => {
	Object.assign(clock, { now, sleep });
	vi.restoreAllMocks();
});

/** An account at n8n's HTTP helper, which gives these answers one after another. */
function served(...answers: Answer[]) {
	const account = createAccount({
		accessToken: `token-${accounts++}`,
		baseUrl: 'https://forms.example.com',
	});
	const sent: IHttpRequestOptions[] = [];
	const send = async (_credential: string, options: IHttpRequestOptions) => {
		const answer = answers[Math.min(sent.length, answers.length - 1)];
		sent.push(options);
		if (answer instanceof Error) throw answer;
		const { status = 200, headers = {}, body = '' } = answer;
		const text = typeof body === 'string' ? body : JSON.stringify(body);
		const stream = Readable.from([Buffer.from(text)]);
		return await Promise.resolve({ statusCode: status, headers, body: stream });
	};
	const n8n = {
		helpers: { httpRequestWithAuthentication: send },
		getNode: () => ({ name: 'Form Service', type: 'formService', parameters: {} }),
	} as unknown as RequestContext['n8n'];
	const context: RequestContext = { n8n, account, urgency: 'bulk', itemIndex: 3 };
	const target = (endpoint: Endpoint = endpoints.listForms) =>
		createTarget(account, endpoint, { formId: 'AbC123', responseId: 'AbC123' });
	const failure = async (endpoint: Endpoint, more: Partial<RequestContext> = {}) =>
		await request({ ...context, ...more }, target(endpoint)).then(
			() => expect.unreachable(),
			(error: ServiceError) => error,
		);
	return { context, target, sent, failure };
}

const networkError = (code: string, syscall?: string) =>
	Object.assign(new Error('socket'), { code, syscall });

it('a reply says how many requests were sent for it, retries included', async () => {
	const { context, target } = served({ status: 503 }, { body: { success: true, data: [] } });
	const reply = await request(context, target());
	expect(reply).toEqual({ value: { success: true, data: [] }, headers: {}, requests: 2 });
});

it.each(['https://forms.example.com/api/v1/../admin', 'https://evil.example/api/v1/forms'])(
	'nothing is sent to %s, which is outside the API',
	async (url) => {
		const { context, sent } = served({ body: { success: true } });
		const outside = request(context, { endpoint: endpoints.listForms, url });
		await expect(outside).rejects.toThrow('The request URL is outside the API');
		expect(sent).toEqual([]);
	},
);

describe('a redirect of the API is not followed, and the error says where it leads', () => {
	const HERE = 'https://forms.example.com/api/v1';
	const CHECK = "Check the 'Base URL' in the Form Service credential.";

	it.each([
		[
			'https://new.example.com/api/v1/forms/AbC123/fields',
			' to https://new.example.com/api/v1/forms/AbC123/fields',
			"Enter https://new.example.com/api/v1 as the 'Base URL' in the Form Service credential.",
		],
		[
			'https://new.example.com/',
			' to https://new.example.com/',
			`${CHECK} Redirects are not followed.`,
		],
		['', ` to ${HERE}/forms/AbC123/fields`, `${CHECK} Redirects are not followed.`],
		[undefined, ' without saying where', CHECK],
	])('%j', async (location, where, description) => {
		const { failure, sent } = served({ status: 301, headers: { location } });
		const error = await failure(endpoints.listFields);
		expect(error).toMatchObject({ message: `${HERE} redirects${where}`, description });
		expect(sent).toHaveLength(1);
	});
});

describe('an error', () => {
	it('is an API error to n8n and its editor, with the item it belongs to', async () => {
		const error = await served({ status: 400 }).failure(endpoints.listForms);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: 'NodeApiError' });
		expect(error).toMatchObject({ httpCode: '400', context: { itemIndex: 3 } });
	});

	it.each([
		['read', true, 1],
		['connect', false, 4],
	])('of the network says after a %s whether a response may have been added', async (...given) => {
		const [syscall, mayHaveActed, times] = given;
		const { failure, sent } = served(networkError('EHOSTUNREACH', syscall));
		expect((await failure(endpoints.addResponse)).mayHaveActed).toBe(mayHaveActed);
		expect(sent).toHaveLength(times);
	});

	it.each([
		['Registration has closed. See you next year!', {}, /^The form is closed: "Registration/],
		['This form takes no more responses.', {}, /^The form is closed: "This form/],
		['No.', { is_closed: true }, /^The form is closed: "No/],
		['No access.', {}, /^Access denied/],
	])('with 403, "%s" and %j says whether the form is closed', async (message, data, expected) => {
		const reply = { status: 403, body: { success: false, message, data } };
		expect((await served(reply).failure(endpoints.addResponse)).message).toMatch(expected);
		expect((await served(reply).failure(endpoints.listFields)).message).toMatch(/^Access denied/);
	});

	it('means the day if the limit is larger than that of the minute, as another service has it', async () => {
		const shows = (limit: number, remaining: number) => ({
			'x-ratelimit-limit': String(limit),
			'x-ratelimit-remaining': String(remaining),
		});
		const day = { status: 429, headers: { ...shows(2_000, 0), 'retry-after': '30' } };
		const { context, target, failure } = served({ body: [], headers: shows(60, 59) }, day);
		await request(context, target());
		const error = await failure(endpoints.listForms);
		expect(error.failure?.cause).toBe('quota-exhausted');
		expect(error.description).toContain('2,000 requests a day');
	});
});

describe('a new endpoint', () => {
	const deleteForm: Endpoint = {
		method: 'DELETE',
		url: '/forms/{formId}',
		effect: {
			kind: 'idempotent',
			noun: 'form',
			ifRejected: 'Check the ID of the form.',
			ifUncertain: {
				message: 'The form may or may not have been deleted',
				description: 'Look for the form in Form Service before you run this item again.',
			},
		},
	};

	it('is sent with its method, is retried as its effect allows, and needs no body', async () => {
		const { context, target, sent } = served({ status: 503 }, { status: 204 });
		const reply = await request(context, target(deleteForm));
		expect(reply).toMatchObject({ value: {}, requests: 2 });
		const url = 'https://forms.example.com/api/v1/forms/AbC123';
		expect(sent[0]).toMatchObject({ method: 'DELETE', url });
	});

	it('is explained by its noun and its effect', async () => {
		const error = await served({ status: 404 }).failure(deleteForm);
		expect(error.message).toBe('Form not found');
		expect(error.description).toContain('Check the ID. The form may have been deleted');
		const rejected = await served({ status: 409 }).failure(deleteForm);
		expect(rejected.description).toBe('Check the ID of the form.');
	});

	it('says that it may have acted if an earlier try had no clear end', async () => {
		const { failure } = served(networkError('ECONNRESET', 'read'), { status: 404 });
		const error = await failure(deleteForm);
		expect(error.message).toBe('Form not found. The form may or may not have been deleted');
		expect(error.description).toContain('Look for the form');
		expect(error.mayHaveActed).toBe(false);
	});
});
