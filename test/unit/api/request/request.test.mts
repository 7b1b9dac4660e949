import { Readable } from 'node:stream';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccount } from '../../../../nodes/FormService/api/account.ts';
import { clock } from '../../../../nodes/FormService/api/clock.ts';
import { endpoints, createTarget } from '../../../../nodes/FormService/api/endpoints.ts';
import type { Endpoint } from '../../../../nodes/FormService/api/endpoints.ts';
import type { ServiceError } from '../../../../nodes/FormService/api/errors.ts';
import { request } from '../../../../nodes/FormService/api/request/request.ts';
import type { RequestContext } from '../../../../nodes/FormService/api/requestContext.ts';

type Answer = { status?: number; headers?: IDataObject; body?: unknown } | Error;

const { now, elapsed, sleep } = clock;
let accounts = 0;

beforeEach(() => {
	let time = 1_800_000_000_000;
	clock.now = () => time;
	clock.elapsed = () => time;
	clock.sleep = async (ms) => {
		time += ms;
		await Promise.resolve();
	};
});
afterEach(() => {
	Object.assign(clock, { now, elapsed, sleep });
});

/** An account at n8n's HTTP helper, which gives these answers one after another. */
function served(...answers: Answer[]) {
	const baseUrl = 'https://forms.example.com';
	const account = createAccount({ accessToken: `token-${accounts++}`, baseUrl });
	const sent: IHttpRequestOptions[] = [];
	const send = async (_credential: string, options: IHttpRequestOptions) => {
		const answer = answers[Math.min(sent.length, answers.length - 1)];
		sent.push(options);
		if (answer instanceof Error) throw answer;
		const { status = 200, headers = {}, body = '' } = answer;
		const isText = typeof body === 'string';
		const text = isText ? body : JSON.stringify(body);
		const stream = body instanceof Readable ? body : Readable.from([Buffer.from(text)]);
		return await Promise.resolve({ statusCode: status, headers, body: stream });
	};
	const n8n = {
		helpers: { httpRequestWithAuthentication: send },
		getNode: () => ({ name: 'Form Service', type: 'formService', parameters: {} }),
	} as unknown as RequestContext['n8n'];
	const context: RequestContext = { n8n, account, urgency: 'bulk', itemIndex: 3 };
	const target = (endpoint: Endpoint = endpoints.listForms) =>
		createTarget(account, endpoint, { formId: 'AbC123', responseId: 'AbC123' });
	const failure = async (endpoint: Endpoint) =>
		await request(context, target(endpoint)).then(
			() => expect.unreachable(),
			(error: ServiceError) => error,
		);
	return { context, target, sent, failure };
}

const outside = ['https://forms.example.com/api/v1/../admin', 'https://evil.example/api/v1/forms'];
it.each(outside)('nothing is sent to %s', async (url) => {
	const { context, sent } = served({ body: { success: true } });
	const outside = request(context, { endpoint: endpoints.listForms, url });
	await expect(outside).rejects.toThrow('The request URL is outside the API');
	expect(sent).toEqual([]);
});

describe('a new endpoint', () => {
	const deleteForm: Endpoint = {
		...{ method: 'DELETE', url: '/forms/{formId}' },
		effect: { kind: 'idempotent', noun: 'form' },
	};
	const done = { body: { success: true } };

	it('is sent with its method, is retried as its effect allows, and needs no body', async () => {
		const { context, target, sent } = served({ status: 503 }, done);
		await request(context, target(deleteForm));
		expect(sent).toHaveLength(2);
		const url = 'https://forms.example.com/api/v1/forms/AbC123';
		const json = 'application/json';
		const headers = { Accept: json, 'Content-Type': json };
		expect(sent[0]).toMatchObject({ method: 'DELETE', url, headers });
	});

	it('says in its own words that it may have acted', async () => {
		const ifUncertain = { message: 'The mail may have been sent', description: 'Ask for it.' };
		const mail: Endpoint = { ...deleteForm, effect: { kind: 'once', ifUncertain } };
		const { failure, sent } = served(new Error('socket'), done);
		expect(await failure(mail)).toMatchObject({
			message: expect.stringMatching(/ broke .* arrived\. The mail may have been sent$/),
			description: 'Ask for it.',
			mayHaveActed: true,
		});
		expect(sent).toHaveLength(1);
	});
});

it('a request is sent four times in all where it fails, and ten times where it is refused', async () => {
	const refused = { status: 429, headers: { 'retry-after': '1' } };
	const { failure, sent } = served(...Array<Answer>(9).fill(refused), { status: 503 });
	const error = await failure(endpoints.listForms);
	expect(error.description).toMatch(/ Tried 13 times\.$/);
	expect(sent).toHaveLength(13);
});

it('one place is free again, however sending throws', async () => {
	const { context, target } = served({ body: { success: true, data: [] } });
	for (let times = 0; times < 6; times++) {
		const throwing = {
			...context,
			transport: {
				get timeout(): number {
					throw new Error('odd');
				},
			},
		};
		await expect(request(throwing, target())).rejects.toThrow('odd');
	}
	expect(await request(context, target())).toHaveProperty('envelope');
});

it('a reply that announces and sends more than 128 MB is an error, and is not read to its end', async () => {
	const chunk = Buffer.alloc(8 * 1024 * 1024, ' ');
	let sentChunks = 0;
	const body = Readable.from(
		(function* () {
			for (; sentChunks < 1_000; sentChunks++) yield chunk;
		})(),
	);
	const { failure } = served({ body });
	expect((await failure(endpoints.listForms)).message).toBe(
		'The reply is too large for n8n to handle safely',
	);
	expect(sentChunks).toBeLessThan(25);
});
