import { Readable } from 'node:stream';
import { pick } from 'lodash';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAccount } from '../../../../nodes/FormService/api/account.ts';
import { clock } from '../../../../nodes/FormService/api/clock.ts';
import { endpoints, createTarget } from '../../../../nodes/FormService/api/endpoints.ts';
import { callApi } from '../../../../nodes/FormService/api/request/callApi.ts';
import type { RequestContext } from '../../../../nodes/FormService/api/requestContext.ts';
import { VirtualTime } from '../../../time.mts';

type Answer = { status?: number; headers?: IDataObject; body?: object };

const real = { ...clock };
let time: VirtualTime;
let accounts = 0;

beforeEach(() => {
	time = new VirtualTime();
	Object.assign(clock, pick(time, ['now', 'monotonicMs', 'sleep']));
});
afterEach(() => void Object.assign(clock, real));

/** An account at n8n's HTTP helper, which gives these answers one after another. */
function served(...answers: Answer[]) {
	const baseUrl = 'https://forms.example.com';
	const account = createAccount({ accessToken: `token-${accounts++}`, baseUrl });
	const sent: IHttpRequestOptions[] = [];
	const send = async (_credential: string, options: IHttpRequestOptions) => {
		const answer = answers[Math.min(sent.length, answers.length - 1)];
		sent.push(options);
		const { status = 200, headers = {}, body = {} } = answer;
		const stream = Readable.from([Buffer.from(JSON.stringify(body))]);
		return await Promise.resolve({ statusCode: status, headers, body: stream });
	};
	const n8n = {
		helpers: { httpRequestWithAuthentication: send },
		getNode: () => ({ name: 'Form Service', type: 'formService', parameters: {} }),
	} as unknown as RequestContext['n8n'];
	const context: RequestContext = { n8n, account, priority: 'low', itemIndex: 3 };
	return { context, target: createTarget(account, endpoints.listForms), sent };
}

it.each([
	...['https://forms.example.com/api/v1/../admin', 'https://forms.example.com/api/v10/forms'],
	'https://evil.example/api/v1/forms',
])('nothing is sent to %s, and the error of the item says so', async (url) => {
	const { context, sent } = served({ body: { success: true } });
	const outside = callApi(context, { endpoint: endpoints.listForms, url });
	const message = 'The request URL is outside the API';
	await expect(outside).rejects.toMatchObject({ message, context: { itemIndex: 3 } });
	expect(sent).toEqual([]);
});

it('a request is sent four times in all where it fails, and ten times where it is refused', async () => {
	const refused = { status: 429, headers: { 'retry-after': '1' } };
	const given = served(...Array<Answer>(9).fill(refused), { status: 503 });
	const { context, target, sent } = given;
	const description = expect.stringMatching(/ Tried 13 times\.$/);
	const failing = time.waitFor(callApi(context, target));
	await expect(failing).rejects.toMatchObject({ description });
	expect(sent).toHaveLength(13);
});

it('a request that failed says so, even if the limit of the day holds it back then, of its account alone', async () => {
	const usedUp = { status: 429, headers: { 'retry-after': '7200' } };
	const { context, target, sent } = served(usedUp, { status: 503 });
	const messageOf = async () =>
		await callApi(context, target).catch((error: Error) => error.message);
	const messages = await time.waitFor(Promise.all([messageOf(), messageOf()]));
	expect(messages[0]).toMatch(/^Daily request limit reached/);
	expect(messages[1]).toMatch(/status 503/);
	expect(sent).toHaveLength(2);
});

it('one place is free again, however sending throws', async () => {
	const { context, target } = served({ body: { success: true, data: [] } });
	for (let times = 0; times < 6; times++) {
		const httpOptions = {
			get timeout(): number {
				throw new Error('odd');
			},
		};
		await expect(callApi({ ...context, httpOptions }, target)).rejects.toThrow('odd');
	}
	expect(await callApi(context, target)).toHaveProperty('envelope');
});
