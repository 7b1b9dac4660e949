import { describe, expect, it } from 'vitest';
import { demoForms, redirect, slow, type FaultName } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { addEach, addTo, numbered } from '../limits/adding.mts';
import { elsewhere, toAnyCertificate } from '../servers.mts';
import { withWorld } from '../world.mts';

const { contact } = demoForms;
const continueOnFail = true;
const getWorkspace = { resource: 'workspace', operation: 'get' };

describe('100 items that continue on fail, against a service that is down', () => {
	it.each(['serverError', 'tooManyBare'] as const)(
		'leave most of the day to others, and do not keep a trigger from polling: %s',
		async (fault) => {
			await withWorld(async ({ service, n8n }) => {
				service.faults.set({ fault });
				const { items } = await n8n.runNode(addEach, numbered(service, 100), { continueOnFail });
				expect(service.requests.length).toBeLessThan(50);
				expect(items).toHaveLength(100);
				expect(items.at(-1)?.json.error).toMatch(/this request was not sent$/);
				service.faults.clear();
				service.requests.length = 0;
				await n8n.runPoll({ formId: locator(contact) });
				const polled = service.requests.map(({ path, status }) => [path, status]);
				expect(polled).toContainEqual([`/responses/${contact}`, 200]);
			});
		},
	);
});

describe('Retry On Fail after a redirect of what adds a response', () => {
	const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };

	it.each([
		[303, '/api/v1/forms', 1],
		[302, '/login', 2],
		[307, '/api/v2/forms', 2],
	])('status %i to %s: sends it %i times', async (code, location, times) => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: redirect(location, code), match: { method: 'POST' } });
			const { error } = await n8n.runNode(addEach, numbered(service, 1), { node });
			expect(error).toBeDefined();
			expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(times);
		});
	});
});

describe('a token that is refused', () => {
	const add = addTo(contact);

	it.each<[FaultName, boolean]>([
		['unauthorized', false],
		['unauthorized', true],
		['loginPage', true],
	])('sends nothing that still waits (%s, continue on fail: %s)', async (fault, continues) => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault });
			const [{ uuid }] = service.store.fields(contact);
			const input = itemsOf(...Array.from({ length: 50 }, (_, index) => ({ [uuid]: index })));
			const { items, error } = await n8n.runNode(add, input, { continueOnFail: continues });
			// as many as are open at a time
			expect(service.requests).toHaveLength(4);
			if (!continues) {
				expect(error).toMatchObject({ httpCode: '401', context: { itemIndex: 0 } });
				return;
			}
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
				input.map((_item, item) => ({ item })),
			);
			expect(new Set(items.slice(4).map(({ json }) => json.error))).toEqual(
				new Set([expect.stringContaining('rejected the access token')]),
			);
		});
	});

	it('does not change the outcome of what was under way', async () => {
		await withWorld(async ({ service, n8n }) => {
			const [{ uuid }] = service.store.fields(contact);
			const before = service.store.responses(contact).length;
			service.faults.set({ fault: slow(400), times: 1 });
			service.faults.set({ fault: 'unauthorized' });
			const input = itemsOf({ [uuid]: 'slow' }, { [uuid]: 'refused' });
			const { items } = await n8n.runNode(add, input, { continueOnFail: true });
			expect(service.store.responses(contact)).toHaveLength(before + 1);
			expect(items[0].error).toBeUndefined();
			expect(items[0].json).toMatchObject({ status: 'created' });
			expect(items[1].json.error).toMatch(/rejected the access token/);
		});
	});

	it('does not stop the run if only the host of a file wants a login', async () => {
		const other = await elsewhere((_request, reply) => reply.writeHead(401).end());
		const requestOptions = toAnyCertificate;
		await withWorld(async ({ service, n8n }) => {
			const uuids = Array.from({ length: 10 }, (_, index) => {
				const answers = { Message: `cv.txt|${other.namedUrl}/${index}.txt` };
				return { uuid: service.store.addResponse(contact, { answers }).uuid };
			});
			const parameters = {
				resource: 'response',
				operation: 'get',
				formId: locator(contact),
				responseId: '={{ $json.uuid }}',
				options: { downloadFiles: true },
				requestOptions,
			};
			await n8n.runNode(parameters, itemsOf(...uuids), { continueOnFail });
			expect(other.visits).toHaveLength(10);
		});
	});
});

describe('the token in the name of a host', () => {
	it('is not shown, however it is written', async () => {
		const token = 'Secret-Token-In-A-Name';
		await withWorld(
			async ({ service, n8n }) => {
				const location = `https://${token.toLowerCase()}.example/x`;
				service.faults.set({ fault: redirect(location, 302) });
				const { error } = await n8n.runNode(getWorkspace);
				expect(error?.message).toContain('https://[access token].example/x');
				const tested = await n8n.testCredential();
				expect(JSON.stringify([tested, error?.description])).not.toMatch(new RegExp(token, 'i'));
			},
			{ token },
		);
	});
});
