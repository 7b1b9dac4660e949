import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { afterAll, expect, it } from 'vitest';
import { withBothEngines } from '../checked/bothEngines.mts';
import { n8nFor, type N8n } from '../harness.mts';
import { nodeOf, typeOf } from '../n8n/package.mts';
import { inputFor, operationCases, operationNamed } from '../tables/operations.mts';
import { AT_ONCE, startTestService } from '../world.mts';

const service = await startTestService({ ...AT_ONCE, perMinute: 10_000, perDay: 100_000 });
afterAll(async () => await service.close());
const { description } = nodeOf(typeOf('formService'));
const [, { json: input }] = inputFor(service);

/** What the service receives first. */
async function firstRequest(n8n: N8n, parameters: INodeParameters, json: IDataObject) {
	service.requests.length = 0;
	await n8n.runNode(parameters, [{ json }]);
	const [{ method, path, query, headers, body }] = service.requests;
	return { method, path, query, headers, body };
}

/** The same of a node whose pagination function is not there: n8n itself then sends what is declared. */
async function firstDeclared(n8n: N8n, parameters: INodeParameters, json: IDataObject) {
	const { requestOperations } = description;
	delete description.requestOperations;
	try {
		return await firstRequest(n8n, parameters, json);
	} finally {
		description.requestOperations = requestOperations;
	}
}

const n8n = n8nFor({ accessToken: service.token, baseUrl: `${service.url}/api/v1//` });
const json = { ...input, responseId: ` ${String(input.responseId)} ` };

async function expectDeclaredToBeSent(parameters: INodeParameters) {
	const declared = await firstDeclared(n8n, parameters, json);
	expect(declared).toEqual(await firstRequest(n8n, parameters, json));
	expect(declared.headers).toMatchObject({ accept: 'application/json' });
}

it.each(operationCases)('what is declared is what is sent: $name', async ({ parameters }) => {
	await expectDeclaredToBeSent(parameters);
});

// the base URL and the status are the only expressions in what is declared
withBothEngines('what is declared is what is sent', () => {
	it.each(['complete', 'incomplete'])('of %s responses', async (status) => {
		const { parameters } = operationNamed('Response: Get Many');
		await expectDeclaredToBeSent({ ...parameters, status });
	});
});
