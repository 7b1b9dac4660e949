import { Readable } from 'node:stream';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
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
	const baseUrl = 'https://forms.example.com';
	const account = createAccount({ accessToken: `token-${accounts++}`, baseUrl });
	const sent: IHttpRequestOptions[] = [];
	const log: string[] = [];
	const send = async (_credential: string, options: IHttpRequestOptions) => {
		const answer = answers[Math.min(sent.length, answers.length - 1)];
		sent.push(options);
		if (answer instanceof Error) throw answer;
		const { status = 200, headers = {}, body = '' } = answer;
		const isText = typeof body === 'string' || Buffer.isBuffer(body);
		const stream = Readable.from([Buffer.from(isText ? body : JSON.stringify(body))]);
		return await Promise.resolve({ statusCode: status, headers, body: stream });
	};
	const n8n = {
		helpers: { httpRequestWithAuthentication: send },
		getNode: () => ({ name: 'Form Service', type: 'formService', parameters: {} }),
		logger: { warn: (text: string) => void log.push(text) },
	} as unknown as RequestContext['n8n'];
	const context: RequestContext = { n8n, account, urgency: 'bulk', itemIndex: 3 };
	const target = (endpoint: Endpoint = endpoints.listForms) =>
		createTarget(account, endpoint, { formId: 'AbC123', responseId: 'AbC123' });
	const failure = async (endpoint: Endpoint) =>
		await request(context, target(endpoint)).then(
			() => expect.unreachable(),
			(error: ServiceError) => error,
		);
	return { context, target, sent, log, failure };
}

const outside = ['https://forms.example.com/api/v1/../admin', 'https://evil.example/api/v1/forms'];
it.each(outside)('nothing is sent to %s', async (url) => {
	const { context, sent } = served({ body: { success: true } });
	const outside = request(context, { endpoint: endpoints.listForms, url });
	await expect(outside).rejects.toThrow('The request URL is outside the API');
	expect(sent).toEqual([]);
});

it.each([
	['Registration has closed. See you next year!', {}, /^The form is closed: "Registration/],
	['This form takes no more responses.', {}, /^The form is closed: "This form/],
	['No.', { is_closed: true }, /^The form is closed: "No/],
	['No access.', {}, /^Access denied/],
])('a status 403 with "%s" and %j says whether the form is closed', async (...given) => {
	const [message, data, expected] = given;
	const reply = { status: 403, body: { success: false, message, data } };
	expect((await served(reply).failure(endpoints.addResponse)).message).toMatch(expected);
	expect((await served(reply).failure(endpoints.listFields)).message).toMatch(/^Access denied/);
});

it.each<[string, BufferEncoding, string]>([
	['application/json', 'utf8', 'Müller'],
	['application/json; charset=ISO-8859-1', 'latin1', 'Müller'],
	['application/json;charset="utf-16le"', 'utf16le', 'Müller'],
	['application/json; charset=unheard-of', 'utf8', 'Müller'],
	['application/json', 'latin1', 'M\uFFFDller'],
	['application/json; charset=utf-8', 'latin1', 'M\uFFFDller'],
])('a reply with the type %s in %s gives %s, and a hint if it is garbled', async (...given) => {
	const [type, encoding, name] = given;
	const body = Buffer.from('{"data":{"name":"Müller"}}', encoding);
	const { context, target, log } = served({ headers: { 'content-type': type }, body });
	expect(await request(context, target())).toMatchObject({ value: { data: { name } } });
	const hint = expect.stringMatching(/^Form Service sent text that cannot be decoded/);
	expect(log).toEqual(name === 'Müller' ? [] : [hint]);
});

describe('a new endpoint', () => {
	const ifUncertain = {
		message: 'The form may or may not be deleted',
		description: 'Look for it.',
	};
	const deleteForm: Endpoint = {
		...{ method: 'DELETE', url: '/forms/{formId}' },
		effect: { kind: 'idempotent', noun: 'form', ifUncertain },
	};

	it('is sent with its method, is retried as its effect allows, and needs no body', async () => {
		const { context, target, sent } = served({ status: 503 }, { status: 204 });
		const reply = await request(context, target(deleteForm));
		expect(reply).toMatchObject({ value: {}, requests: 2 });
		const url = 'https://forms.example.com/api/v1/forms/AbC123';
		const json = 'application/json';
		const headers = { Accept: json, 'Content-Type': json };
		expect(sent[0]).toMatchObject({ method: 'DELETE', url, headers });
	});

	it('says that it may have acted if an earlier try had no clear end', async () => {
		const { failure } = served(new Error('socket'), { status: 404 });
		const error = await failure(deleteForm);
		expect(error).toMatchObject({
			message: 'Form not found. The form may or may not be deleted',
			description: 'Look for it.',
			mayHaveActed: false,
		});
	});
});
