import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { itemsOf, locator, n8nFor, time } from '../harness.mts';
import { asked, closedPort, unreachablePlaces, type Unreachable } from '../servers.mts';
import { inputFor, operationNamed, type OperationCase } from '../tables/operations.mts';
import { startTestService, withWorld } from '../world.mts';

const places = await unreachablePlaces();

/** Runs an operation over two items where no service can be reached, as an account of its own. */
async function run(
	{ name, baseUrl }: Unreachable,
	operation: OperationCase,
	continueOnFail: boolean,
) {
	return await withWorld(async ({ service }) => {
		const accessToken = `${service.token}-${name}-${continueOnFail}`.replaceAll(' ', '-');
		const n8n = n8nFor({ accessToken, baseUrl });
		return await n8n.runNode(operation.parameters, inputFor(service), { continueOnFail });
	});
}

describe.each(places)('$name', (place) => {
	it.each(['Form: Get', 'Response: Create'])(
		'%s stops and says why, or continues with one error item for each item',
		async (name) => {
			const stopped = await run(place, operationNamed(name), false);
			expect(stopped.items).toEqual([]);
			// both items meet the same, and the first to give up ends the run
			const context = { itemIndex: expect.toBeOneOf([0, 1]) as number };
			const failure = { cause: place.cause };
			expect(stopped.error).toMatchObject({ httpCode: null, failure, context });

			const { error, items } = await run(place, operationNamed(name), true);
			expect(error).toBeUndefined();
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
			const { message } = stopped.error!;
			expect(items.map(({ json }) => json.error)).toEqual([message, message]);
		},
	);
});

it('nothing is asked for over a connection whose certificate was not accepted', () => {
	expect(asked).toEqual([]);
});

it('adds a response once the service accepts connections, since it cannot have had it before', async () => {
	const { port, free } = await closedPort();
	const { formId, field } = await withWorld(async ({ service: { store } }) => ({
		formId: demoForms.contact,
		field: store.fields(demoForms.contact)[0].uuid,
	}));
	const account = { accessToken: 'a-late-account', baseUrl: `http://127.0.0.1:${port}` };
	const parameters = {
		resource: 'response',
		operation: 'create',
		formId: locator(formId),
		inputMode: 'json',
		answersJson: { [field]: 'Late' },
	};
	const { done, service } = await time.still(async () => {
		const run = n8nFor(account).startNode(parameters, itemsOf({}));
		await time.settled();
		await free();
		return {
			done: run.done,
			service: await startTestService({ port, token: account.accessToken }),
		};
	});
	try {
		const before = service.store.responses(formId).length;
		const { error } = await done;
		expect(error).toBeUndefined();
		expect(service.requests.map(({ method }) => method)).toEqual(['POST']);
		expect(service.store.responses(formId)).toHaveLength(before + 1);
	} finally {
		await service.close();
	}
});
