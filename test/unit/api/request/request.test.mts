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

describe('a reply', () => {
	it('says how many requests were sent for it, retries included', async () => {
		const { context, target } = served({ status: 503 }, { body: { success: true, data: [] } });
		const reply = await request(context, target());
		expect(reply).toEqual({ value: { success: true, data: [] }, headers: {}, requests: 2 });
	});
});

describe('a redirect of the API', () => {
	const explained = async (location?: string) => {
		const { failure, sent } = served({ status: 301, headers: { location } });
		const { message, description } = await failure(endpoints.listFields);
		expect(sent).toHaveLength(1);
		return [message, description];
	};
	const FROM = 'https://forms.example.com/api/v1 redirects';

	it.each([
		[
			'https://new.example.com/api/v1/forms/AbC123/fields',
			`${FROM} to https://new.example.com/api/v1/forms/AbC123/fields`,
			"Enter https://new.example.com/api/v1 as the 'Base URL' in the Form Service credential.",
		],
		[
			'https://new.example.com/',
			`${FROM} to https://new.example.com/`,
			"Check the 'Base URL' in the Form Service credential. Redirects are not followed.",
		],
		[
			'',
			`${FROM} to https://forms.example.com/api/v1/forms/AbC123/fields`,
			"Check the 'Base URL' in the Form Service credential. Redirects are not followed.",
		],
		[
			undefined,
			`${FROM} without saying where`,
			"Check the 'Base URL' in the Form Service credential.",
		],
	])('to %j is not followed, and the error says where it leads', async (location, ...texts) => {
		expect(await explained(location)).toEqual(texts);
	});
});

describe('an error', () => {
	it('is an API error to n8n and its editor, with the item it belongs to', async () => {
		const error = await served({ status: 400 }).failure(endpoints.listForms);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error.name).toBe('NodeApiError');
		expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: 'NodeApiError' });
		expect(error).toMatchObject({ httpCode: '400', context: { itemIndex: 3 } });
	});

	it('leaves its place in the queue to other requests', async () => {
		const broken = Array<Error>(10).fill(networkError('CERT_HAS_EXPIRED'));
		const { context, target, failure } = served(...broken, { body: { success: true } });
		for (const _ of broken) await failure(endpoints.listForms);
		expect((await request(context, target())).requests).toBe(1);
	});

	it.each([
		['once the connection was open', networkError('EHOSTUNREACH', 'read'), true, 1],
		['while connecting', networkError('EHOSTUNREACH', 'connect'), false, 4],
	])('of the network %s says whether a response may have been added', async (_when, ...given) => {
		const [error, mayHaveActed, times] = given;
		const { failure, sent } = served(error);
		expect((await failure(endpoints.addResponse)).mayHaveActed).toBe(mayHaveActed);
		expect(sent).toHaveLength(times);
	});

	it('says that the form is closed where a response is added, and what to do', async () => {
		for (const body of [
			{ success: false, message: 'Registration has closed. See you next year!' },
			{ success: false, message: 'This form takes no more responses.' },
			{ success: false, message: 'No.', data: { is_closed: true } },
		]) {
			const { message, description } = await served({ status: 403, body }).failure(
				endpoints.addResponse,
			);
			expect(message).toBe(`The form is closed: "${body.message}"`);
			expect(description).toBe('Open the form with Setting: Update, or choose another form.');
		}
	});

	it('does not say so of another refusal, or of another endpoint', async () => {
		const denied = { status: 403, body: { success: false, message: 'No access.' } };
		const closed = { status: 403, body: { success: false, message: 'The form is closed.' } };
		expect((await served(denied).failure(endpoints.addResponse)).message).toContain('denied');
		expect((await served(closed).failure(endpoints.listFields)).message).toContain('denied');
	});
});

describe('an endpoint that is new', () => {
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

	it('is sent with its method, and succeeds with or without a body', async () => {
		const { context, target, sent } = served({ status: 204 });
		const reply = await request(context, target(deleteForm));
		expect(reply).toMatchObject({ value: {}, requests: 1 });
		expect(sent[0]).toMatchObject({ method: 'DELETE' });
		expect(sent[0].url).toBe('https://forms.example.com/api/v1/forms/AbC123');
	});

	it('is retried as its effect allows', async () => {
		const { context, target } = served({ status: 503 }, { body: { success: true } });
		expect((await request(context, target(deleteForm))).requests).toBe(2);
	});

	it('is explained by its noun', async () => {
		const error = await served({ status: 404 }).failure(deleteForm);
		expect(error.message).toBe('Form not found');
		expect(error.description).toContain('Check the ID. The form may have been deleted');
		const rejected = await served({ status: 409 }).failure(deleteForm);
		expect(rejected.description).toBe('Check the ID of the form.');
	});

	it('says that it may have acted where an earlier try had no clear end', async () => {
		const { failure } = served(networkError('ECONNRESET', 'read'), { status: 404 });
		const error = await failure(deleteForm);
		expect(error.message).toBe('Form not found. The form may or may not have been deleted');
		expect(error.description).toContain('Look for the form');
		expect(error.mayHaveActed).toBe(false);
	});
});

describe('a refusal of a service with other limits', () => {
	const shows = (limit: number, remaining: number) => ({
		'x-ratelimit-limit': String(limit),
		'x-ratelimit-remaining': String(remaining),
	});

	it('means the day where its limit is larger than the minute that was shown before', async () => {
		const day = { status: 429, headers: { ...shows(2_000, 0), 'retry-after': '30' } };
		const { context, target, sent, failure } = served({ body: [], headers: shows(60, 59) }, day);
		await request(context, target());
		const error = await failure(endpoints.listForms);
		expect(error.failure?.cause).toBe('quota-exhausted');
		expect(error.description).toContain('2,000 requests a day');
		expect(error.message).toMatch(/^The daily request limit is used up until .* UTC$/);
		expect(sent).toHaveLength(2);
	});
});
