import { describe, expect, it } from 'vitest';
import { demoForms, slow, type FaultName } from '../../service/index.mts';
import { itemsOf, locator, n8nFor, time } from '../harness.mts';
import { addEach, addTo, downloadAnswers, numbered } from '../limits/adding.mts';
import { closedPort, elsewhere } from '../servers.mts';
import { startTestService, withWorld } from '../world.mts';

const { contact } = demoForms;
const continueOnFail = true;

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
		await withWorld(async (world) => {
			await downloadAnswers(world, Array<string[]>(10).fill([`${other.namedUrl}/cv.txt`]));
			expect(other.visits).toHaveLength(10);
		});
	});
});

it('adds a response once the service accepts connections, since it cannot have had it before', async () => {
	const { port, free } = await closedPort();
	const [{ uuid }] = await withWorld(({ service: { store } }) =>
		Promise.resolve(store.fields(contact)),
	);
	const account = { accessToken: 'a-late-account', baseUrl: `http://127.0.0.1:${port}` };
	const { done, service } = await time.still(async () => {
		const run = n8nFor(account).startNode(addTo(contact), itemsOf({ [uuid]: 'Late' }));
		await time.settled();
		await free();
		return {
			done: run.done,
			service: await startTestService({ port, token: account.accessToken }),
		};
	});
	try {
		const before = service.store.responses(contact).length;
		const { error } = await done;
		expect(error).toBeUndefined();
		expect(service.requests.map(({ method }) => method)).toEqual(['POST']);
		expect(service.store.responses(contact)).toHaveLength(before + 1);
	} finally {
		await service.close();
	}
});
