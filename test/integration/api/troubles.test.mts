import { describe, expect, it } from 'vitest';
import { answer, demoForms, slow, tooMany, type FaultName } from '../../service/index.mts';
import { itemsOf, locator, n8nFor, time } from '../harness.mts';
import { addEach, addTo, downloadAnswers, numbered } from './adding.mts';
import { closedPort, elsewhere } from '../servers.mts';
import { createWorld, startTestService } from '../world.mts';

const { contact, survey } = demoForms;
const match = { method: 'POST' };

it('an item that was refused is sent again before the items that still wait', async () => {
	const { service, n8n } = await createWorld();
	service.faults.set({ fault: tooMany(60, 1), match, times: 1 });
	service.faults.set({ fault: slow(200) });
	const before = service.store.responses(survey).length;
	await n8n.runNode(addEach, numbered(service, 30));
	const added = service.store.responses(survey).slice(before);
	const order = added.map(({ answers }) => Number(Object.values(answers)[0]));
	expect(order).toHaveLength(30);
	// the item that was refused is one of the first five
	expect(order.slice(0, 15)).toEqual(expect.arrayContaining([0, 1, 2, 3, 4]));
});

const formId = locator(contact);
const update = { resource: 'setting', operation: 'update', formId, settings: { name: 'a' } };

it.each([
	['an added response', addTo(contact), / The response may or may not have been added$/],
	['updated settings', update, /^Form Service sent a reply that does not say whether/],
])('a reply with status 200 that confirms nothing is not taken for %s', async (...given) => {
	const [, parameters, text] = given;
	const { service, n8n } = await createWorld();
	const body = '{"message": "Unauthenticated."}';
	service.faults.set({ fault: answer(200, 'application/json', body), match });
	const { items, error } = await n8n.runNode(parameters, itemsOf({ Name: 'Ada' }));
	const sent = service.requests.filter(({ method }) => method === 'POST');
	expect([items, sent.length]).toEqual([[], 1]);
	expect(error?.message).toMatch(text);
});

describe('a token that is refused', () => {
	const add = addTo(contact);

	it.each<[FaultName, boolean]>([
		['unauthorized', false],
		['unauthorized', true],
		['loginPage', true],
	])('sends nothing that still waits (%s, continue on fail: %s)', async (fault, continues) => {
		const { service, n8n } = await createWorld();
		service.faults.set({ fault, match });
		const [{ uuid }] = service.store.fields(contact);
		const input = itemsOf(...Array.from({ length: 50 }, (_, index) => ({ [uuid]: index })));
		const { items, error } = await n8n.runNode(add, input, { continueOnFail: continues });
		// as many as are open at a time
		expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(5);
		if (!continues) {
			expect(error).toMatchObject({ httpCode: '401', context: { itemIndex: 0 } });
			return;
		}
		const said = { json: { error: expect.stringContaining('rejected the access token') } };
		expect(items.slice(5)).toMatchObject(Array(45).fill(said));
		expect(items).toMatchObject(input.map((_item, item) => ({ pairedItem: { item } })));
	});

	it('does not stop the run if only the host of a file wants a login', async () => {
		const other = await elsewhere((_request, reply) => reply.writeHead(401).end());
		const world = await createWorld();
		await downloadAnswers(world, Array<string[]>(10).fill([`${other.namedUrl}/cv.txt`]));
		expect(other.visits).toHaveLength(10);
	});
});

it('adds a response once the service accepts connections, since it cannot have had it before', async () => {
	const { port, free } = await closedPort();
	const account = { accessToken: 'a-late-account', baseUrl: `http://127.0.0.1:${port}` };
	const { done, service } = await time.still(async () => {
		const run = n8nFor(account).startNode(addTo(contact), itemsOf({ Name: 'Late' }));
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
		expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
		expect(service.store.responses(contact)).toHaveLength(before + 1);
	} finally {
		await service.close();
	}
});
