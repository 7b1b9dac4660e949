import type { INodeParameters } from 'n8n-workflow';
import { afterAll, expect, it } from 'vitest';
import { withBothEngines } from '../checked/bothEngines.mts';
import { itemsOf, n8nFor } from '../harness.mts';
import { nodeOf, typeOf } from '../n8n/package.mts';
import { inputFor, operationCases, operationNamed } from '../tables/operations.mts';
import { AT_ONCE, startTestService } from '../world.mts';

const service = await startTestService({ ...AT_ONCE, perMinute: 10_000, perDay: 100_000 });
afterAll(async () => await service.close());
const n8n = n8nFor({ accessToken: service.token, baseUrl: `${service.url}/api/v1//` });

/** What the service receives first. */
async function sendFirst(parameters: INodeParameters) {
	const [, { json }] = inputFor(service);
	service.requests.length = 0;
	await n8n.runNode(parameters, itemsOf({ ...json, responseId: ` ${String(json.responseId)} ` }));
	const [{ method, path, query, headers, body }] = service.requests;
	return { method, path, query, headers, body };
}

async function expectDeclaredToBeSent(parameters: INodeParameters) {
	const sent = await sendFirst(parameters);
	// without the pagination function, n8n itself sends what is declared
	const { description } = nodeOf(typeOf('formService'));
	const { requestOperations } = description;
	delete description.requestOperations;
	const declared = await sendFirst(parameters).finally(() => {
		description.requestOperations = requestOperations;
	});
	expect(declared).toEqual(sent);
	expect(declared.headers).toMatchObject({ accept: 'application/json' });
}

it.each(operationCases)('$name sends the request that it declares', async ({ parameters }) => {
	await expectDeclaredToBeSent(parameters);
});

// the base URL and the status are the only expressions in what is declared
withBothEngines('Response: Get Many', () => {
	it.each(['complete', 'incomplete'])('declares to read %s responses', async (status) => {
		const { parameters } = operationNamed('Response: Get Many');
		await expectDeclaredToBeSent({ ...parameters, status });
	});
});
