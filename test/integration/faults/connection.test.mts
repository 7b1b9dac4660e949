import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { itemsOf, locator, n8nFor, time } from '../harness.mts';
import { asked, unreachablePlaces, type Unreachable } from './connection.mts';
import { inputFor, operationCases, type OperationCase } from './operations.mts';
import { startTestService, withWorld } from '../world.mts';
import { startAll } from './startAll.mts';
import { closedPort } from './unreachable.mts';

const places = await unreachablePlaces();

type Case = { place: Unreachable; operation: OperationCase; continueOnFail: boolean };

const cases = places.flatMap((place) =>
	operationCases.flatMap((operation) =>
		[false, true].map((continueOnFail): Case => ({ place, operation, continueOnFail })),
	),
);

let accounts = 0;

const resultOf = startAll(
	cases,
	async ({ place, operation, continueOnFail }) =>
		await withWorld(async ({ service }) => {
			// an account of its own for each case, so that none waits for the pauses of another
			const accessToken = `token-${accounts++}`;
			const n8n = n8nFor({ accessToken, baseUrl: place.baseUrl });
			return await n8n.runNode(operation.parameters, inputFor(service), { continueOnFail });
		}),
	60,
);

describe.each(places)('$name', (place) => {
	const own = cases.filter((one) => one.place === place);
	const named = (continueOnFail: boolean) =>
		own
			.filter((one) => one.continueOnFail === continueOnFail)
			.map((one) => [one.operation.name, one] as const);

	it.each(named(false))('%s stops, and says why', async (_name, one) => {
		const { error, items } = await resultOf(one);
		expect(items).toEqual([]);
		// both items meet the same, and the first to give up ends the run
		const context = { itemIndex: expect.toBeOneOf([0, 1]) as number };
		expect(error).toMatchObject({ httpCode: null, failure: { cause: place.cause }, context });
	});

	it.each(named(true))('%s continues with one error item for each item', async (_name, one) => {
		const { error, items } = await resultOf(one);
		expect(error).toBeUndefined();
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		const stopped = own.find((each) => each.operation === one.operation && !each.continueOnFail)!;
		const { message } = (await resultOf(stopped)).error!;
		expect(items.map(({ json }) => json.error)).toEqual([message, message]);
	});
});

it('nothing is asked for over a connection whose certificate was not accepted', async () => {
	await Promise.all(cases.map(resultOf));
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
