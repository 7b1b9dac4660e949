import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { afterAll, describe, expect, it } from 'vitest';
import { demoForms, startService } from '../../service/index.mts';
import { itemsOf, locator, n8nFor } from '../harness.mts';
import { selfSigned } from './certificate.mts';
import { inputFor, operationCases, type OperationCase } from './operations.mts';
import { withWorld } from '../world.mts';
import { startAll } from './startAll.mts';

/** A place where no service can be reached, and what a person reads of it. */
type Unreachable = {
	name: string;
	baseUrl: string;
	message: string;
	description: string;
	cause: string;
};

const checkBaseUrl = 'Check the Base URL in the Form Service credential.';

/** What https requests got as far as asking for. */
const asked: string[] = [];
const server = await listening(
	createServer(selfSigned, (request, reply) => {
		asked.push(request.url ?? '');
		reply.end('{}');
	}),
);
afterAll(() => server.close());
const https = `https://localhost:${portOf(server)}`;
const plain = await listening(createHttpServer((_request, reply) => reply.end('{}')));
afterAll(() => plain.close());
const httpOnly = `https://127.0.0.1:${portOf(plain)}`;
/** The port of an old service that no machine offers any more; a free port could be taken meanwhile. */
const closed = 'http://127.0.0.1:9';

const places: Unreachable[] = [
	{
		name: 'a refused connection',
		baseUrl: closed,
		message: `Nothing accepts connections at ${closed}`,
		description: `The service may be down. ${checkBaseUrl} It was tried 4 times.`,
		cause: 'temporarily-unavailable',
	},
	{
		name: 'a host name that does not exist',
		baseUrl: 'https://forms.invalid',
		message: 'The host name in https://forms.invalid could not be found',
		description: `${checkBaseUrl} If it is right, the name service that n8n uses may be down. It was tried 4 times.`,
		cause: 'temporarily-unavailable',
	},
	{
		name: 'a certificate that nobody vouches for',
		baseUrl: https,
		message: `The certificate of ${https} was not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)`,
		description: `${checkBaseUrl} For a certificate of your own, add its authority to n8n (NODE_EXTRA_CA_CERTS).`,
		cause: 'configuration-invalid',
	},
	{
		name: 'a service that speaks no https',
		baseUrl: httpOnly,
		message: `No encrypted connection to ${httpOnly} came about (EPROTO)`,
		description: `${checkBaseUrl} Perhaps the service is to be asked with http, or at another port.`,
		cause: 'configuration-invalid',
	},
];

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

function expectWords(shown: Error & IDataObject, place: Unreachable, itemIndex: unknown) {
	expect(shown).toMatchObject({
		message: place.message,
		description: place.description,
		httpCode: null,
		failure: { cause: place.cause },
		context: { itemIndex },
	});
}

describe.each(places)('$name', (place) => {
	const own = cases.filter((one) => one.place === place);
	const named = (continueOnFail: boolean) =>
		own
			.filter((one) => one.continueOnFail === continueOnFail)
			.map((one) => [one.operation.name, one] as const);

	it.each(named(false))('%s stops with the words for it', async (_name, one) => {
		const { error, items } = await resultOf(one);
		expect(items).toEqual([]);
		// both items meet the same, and the first to give up ends the run
		expectWords(error!, place, expect.toBeOneOf([0, 1]));
	});

	it.each(named(true))('%s continues with one error item for each item', async (_name, one) => {
		const { error, items } = await resultOf(one);
		expect(error).toBeUndefined();
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		for (const [index, item] of items.entries()) {
			expectWords(item.error as unknown as Error & IDataObject, place, index);
		}
	});
});

it('nothing is asked for over a connection whose certificate was not accepted', async () => {
	await Promise.all(cases.map(resultOf));
	expect(asked).toEqual([]);
});

it('adds a response once the service accepts connections, since it cannot have had it before', async () => {
	const port = await freePort();
	const { formId, field } = await withWorld(async ({ service: { store } }) => ({
		formId: demoForms.contact,
		field: store.fields(demoForms.contact)[0].uuid,
	}));
	const account = { accessToken: 'demo-access-token', baseUrl: `http://127.0.0.1:${port}` };
	const { done } = n8nFor(account).startNode(
		{
			resource: 'response',
			operation: 'create',
			formId: locator(formId),
			inputMode: 'json',
			answersJson: { [field]: 'Late' },
		},
		itemsOf({}),
	);
	await wait(1_200);
	const service = await startService({ port });
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

async function listening<T extends Server | ReturnType<typeof createTcpServer>>(
	one: T,
): Promise<T> {
	one.listen(0, '127.0.0.1');
	await once(one, 'listening');
	return one;
}

function portOf(one: Server | ReturnType<typeof createTcpServer>): number {
	return (one.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
	const one = await listening(createTcpServer());
	const port = portOf(one);
	one.close();
	await once(one, 'close');
	return port;
}
