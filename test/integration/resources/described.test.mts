import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { omit } from 'lodash';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mts';
import { withBothEngines } from '../execution/bothEngines.mts';
import { demoForms } from '../../service/index.mts';
import { itemsOf, locator, n8nFor } from '../harness.mts';
import { nodeOf } from '../n8n/package.mts';
import { inputFor, operationCases, operationNamed } from './operations.mts';
import { running } from '../world.mts';

/** What n8n and people learn from the description of the node: requests, names and output. */

const { service, n8n } = await running();
const { description } = nodeOf('formService');

const { runNode } = n8nFor({ accessToken: service.token, baseUrl: `${service.url}/api/v1//` });

/** What the service receives at last. */
async function sendLast(parameters: INodeParameters) {
	const [, { json }] = inputFor(service);
	service.requests.length = 0;
	await runNode(parameters, itemsOf({ ...json, responseId: ` ${String(json.responseId)} ` }));
	const { method, path, query, headers } = service.requests.at(-1)!;
	// a body is added only after the item is checked
	return { method, path, query, headers: omit(headers, 'content-length') };
}

async function expectToBeSent(parameters: INodeParameters) {
	const sent = await sendLast(parameters);
	// without the pagination function, n8n itself sends what is declared
	const { requestOperations } = description;
	delete description.requestOperations;
	const declared = await sendLast(parameters).finally(() => {
		description.requestOperations = requestOperations;
	});
	expect(declared).toEqual(sent);
	const json = 'application/json';
	expect(declared.headers).toMatchObject({ accept: json, 'content-type': json });
}

it.each(operationCases)('The declared request of $name is sent', async ({ parameters }) => {
	await expectToBeSent(parameters);
});

// the base URL and the status are the only expressions in what is declared
withBothEngines('The declared request of Response: Get Many', () => {
	it.each(['complete', 'incomplete'])('reads %s responses', async (status) => {
		const { parameters } = operationNamed('Response: Get Many');
		await expectToBeSent({ ...parameters, status });
	});
});

type Schema = { type: string; properties?: Record<string, Schema>; items?: Schema };

/** The preview that n8n shows as the output of a node; the path is below __schema__. */
function readPreview(path: string): Schema {
	const file = join(root, 'nodes/FormService/__schema__', path);
	return JSON.parse(readFileSync(file, 'utf8')) as Schema;
}

describe('The output preview', () => {
	it.each(operationCases)('of $name shows what the operation gives', async (operationCase) => {
		const { resource, operation, parameters } = operationCase;
		const schema = readPreview(`v1.0.0/${resource}/${operation}.json`);
		const [input] = inputFor(service);
		const { items, error } = await n8n.runNode(parameters, [input]);
		expect(error).toBeUndefined();
		expectToFit(items[0].json, schema, resource);
	});

	it('of the trigger shows what "Fetch test event" gives', async () => {
		const given = { formId: locator(demoForms.contact), events: ['responseCompleted'] };
		const { items } = await n8n.runPoll(given, { mode: 'manual' });
		const schema = readPreview('v1.0.0.json');
		expectToFit(items![0].json, schema, 'trigger');
		expect(Object.keys(schema.properties!)).toEqual(Object.keys(items![0].json));
	});
});

/** Every property of the preview is there, with its type or null. */
function expectToFit(value: unknown, schema: Schema, path: string): void {
	if (value === null) return;
	const type = Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
	expect(type, path).toBe(schema.type);
	if (Array.isArray(value)) {
		for (const [index, entry] of value.entries())
			expectToFit(entry, schema.items!, `${path}[${index}]`);
	}
	for (const [name, property] of Object.entries(schema.properties ?? {})) {
		expect(value, path).toHaveProperty(name);
		expectToFit((value as IDataObject)[name], property, `${path}.${name}`);
	}
}
