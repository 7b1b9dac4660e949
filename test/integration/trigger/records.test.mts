import type { RequestListener } from 'node:http';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { n8nFor, time, type PollOptions } from '../harness.mts';
import { httpServer } from '../servers.mts';
import { HOUR_MS, tick, watch } from './watching.mts';

/** What a service gives whose records are as odd as a test likes. */
let responses: IDataObject[];
let fields: IDataObject[];
let forms: IDataObject[];
let requests: string[];
let isFailing: boolean;

const answer: RequestListener = ({ url = '' }, reply) => {
	requests.push(url);
	const isFields = url.endsWith('/fields');
	const data = url.includes('/responses/') ? responses : isFields ? fields : forms;
	reply.writeHead(isFields && isFailing ? 503 : 200, { 'content-type': 'application/json' });
	reply.end(JSON.stringify({ success: true, data }));
};

const baseUrl = await httpServer(answer);
let tokens = 0;

const countFieldRequests = () => requests.filter((url) => url.endsWith('/fields')).length;

/** What a scheduled poll gives. */
type Poll = (changed?: INodeParameters, given?: PollOptions) => Promise<IDataObject[]>;

/** A trigger that has begun. */
let begin: (parameters?: INodeParameters) => Promise<Poll>;

beforeEach(async () => {
	[responses, fields, requests, isFailing] = [[], [], [], false];
	forms = [{ id: 'form', name: 'A' }];
	const n8n = n8nFor({ accessToken: `token-${++tokens}`, baseUrl });
	begin = async (parameters = {}) => {
		const trigger = watch(n8n, 'form', parameters);
		await trigger.poll();
		return async (changed, given) =>
			(await trigger.poll({ ...tick, ...given }, changed)).map(({ json }) => json);
	};
});

describe('An item without Simplify', () => {
	it('has the event and the form, whatever its record has by these names', async () => {
		const poll = await begin({ simplify: false });
		responses.push({ uuid: 'a', event: 'submitted', form: 'f-17', answer: 1 });
		expect(await poll()).toEqual([
			{ uuid: 'a', answer: 1, event: 'responseCompleted', form: { id: 'form', name: 'A' } },
		]);
	});

	it('of a new form has none of its secrets', async () => {
		const poll = await begin({ watch: 'all', events: ['formCreated'], simplify: false });
		const settings = { webhook_secret: 'hidden', slack_webhook_url: 'https://hidden', cta: 'Send' };
		const created_at = new Date(time.now()).toISOString();
		forms.push({ id: 'new', name: 'New', settings, created_at });
		await time.sleep(HOUR_MS);
		const [item] = await poll();
		expect(item).toMatchObject({ id: 'new', event: 'formCreated', settings: { cta: 'Send' } });
		expect(JSON.stringify(item)).not.toContain('hidden');
	});
});

it('A failed download is logged as a download, and not as a form that could not be read', async () => {
	const poll = await begin({ options: { downloadFiles: true } });
	responses.push({ uuid: 'a', responses: { CV: `cv.txt|${baseUrl}/fields` } });
	isFailing = true;
	const log: string[] = [];
	expect(await poll({}, { log })).toEqual([]);
	expect(log.join()).toMatch(/file|download/i);
	expect(log.join()).not.toContain('could not be read');
});

it('A condition can name an attribute that only the responses of the service have', async () => {
	responses.push({ uuid: 'a', source: 'app' });
	const conditions = [{ field: 'source', operator: 'is', value: 'web' }];
	const poll = await begin({ filters: { conditions: { conditions } } });
	responses.push({ uuid: 'b', source: 'web' }, { uuid: 'c', source: 'app' });
	expect(await poll()).toMatchObject([{ uuid: 'b' }]);
});

describe('A response', () => {
	const uuid = 'ABCDEF00-0000-4000-8000-00000000000A';

	it.each<[string, IDataObject, IDataObject]>([
		['when the service adds a uuid to its id', { id: 7 }, { id: 7, uuid }],
		['when its uuid changes its case', { uuid }, { uuid: uuid.toLowerCase() }],
		['when its id comes as text', { id: 7 }, { id: '7' }],
	])('is the same %s', async (_text, before, after) => {
		responses = [before];
		const poll = await begin();
		responses = [after];
		expect(await poll()).toEqual([]);
		responses = [after, { uuid: 'new' }];
		expect(await poll()).toMatchObject([{ uuid: 'new' }]);
	});

	it('without a time keeps its place by its number', async () => {
		const poll = await begin();
		const created_at = '2026-01-01T00:00:00Z';
		responses.push({ uuid: 'second', number: 2 }, { uuid: 'first', number: 1, created_at });
		expect((await poll()).map(({ uuid }) => uuid)).toEqual(['first', 'second']);
	});

	it('without uuid and id fails the activation, with the names of its attributes', async () => {
		responses = [{ number: 1, answer: 'secret' }];
		await expect(begin()).rejects.toMatchObject({
			message: 'Form Service sent a response without a UUID',
			description: expect.stringMatching(/number, answer\. (?!.*secret)/),
		});
	});
});

describe('The fields of a form, which columns are made of,', () => {
	const field = (id: string, label: string) => ({ uuid: id, label });
	const submit = (uuid: string, id = 'f1', label = 'Name') =>
		responses.push({ uuid, responses: [{ uuid: id, label, response: uuid }] });
	const columns = { options: { columns: true } };

	beforeEach(() => {
		fields = [field('f1', 'Name')];
	});

	it('are read once an hour, for a form that delivers', async () => {
		const poll = await begin(columns);
		for (const name of ['Ada', 'Grace']) {
			submit(name);
			expect(await poll()).toMatchObject([{ Name: name }]);
		}
		await time.sleep(HOUR_MS);
		expect(await poll()).toEqual([]);
		expect(countFieldRequests()).toBe(1);
		submit('Edsger');
		expect(await poll()).toMatchObject([{ Name: 'Edsger' }]);
		expect(countFieldRequests()).toBe(2);
	});

	it('are read again, but not each time, for an answer that belongs to none of them', async () => {
		const poll = await begin(columns);
		submit('Ada');
		await poll();
		fields.push(field('f2', 'City'));
		submit('Paris', 'f2', 'City');
		expect(await poll()).toMatchObject([{ Name: null, City: 'Paris' }]);
		expect(countFieldRequests()).toBe(2);
		for (let number = 0; number < 6; number++) {
			submit(`${number}`, 'deleted', 'Deleted');
			expect(await poll()).toHaveLength(1);
		}
		expect(countFieldRequests()).toBeLessThanOrEqual(3);
	});

	it.each<[INodeParameters, INodeParameters]>([
		[{}, { answers: { person: 'Grace' } }],
		[{ columns: true }, { person: 'Grace' }],
	])('name answers by custom key once that is chosen (%j)', async (options, item) => {
		fields[0].custom_key = 'person';
		const poll = await begin({ options });
		submit('Ada');
		expect(await poll()).toHaveLength(1);
		submit('Grace');
		const changed = { ...options, answerKeys: 'customKey', requestsPerDay: 1e9 };
		expect(await poll({ options: changed })).toMatchObject([item]);
	});

	it('change no answers of items if only a filter needs them', async () => {
		fields[0].type = 'number';
		const conditions = [{ field: 'Name', operator: 'is', value: '42' }];
		const poll = await begin({ filters: { conditions: { conditions } } });
		submit('42');
		expect(await poll()).toMatchObject([{ answers: { Name: '42' } }]);
		expect(countFieldRequests()).toBe(1);
	});

	it('are those known before while they cannot be read again', async () => {
		const poll = await begin(columns);
		submit('Ada');
		await poll();
		await time.sleep(HOUR_MS);
		isFailing = true;
		submit('Grace');
		expect(await poll()).toMatchObject([{ Name: 'Grace' }]);
	});

	it('delay a response, and lose none, while they have never been read', async () => {
		const poll = await begin({ options: { columns: true, requestsPerDay: 720 } });
		submit('Ada');
		await time.sleep(HOUR_MS);
		isFailing = true;
		expect(await poll()).toEqual([]);
		isFailing = false;
		await time.sleep(HOUR_MS);
		expect(await poll()).toMatchObject([{ Name: 'Ada' }]);
	});
});
