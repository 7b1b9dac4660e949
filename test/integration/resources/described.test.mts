import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mts';
import { demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { inputFor, operationCases } from './operations.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
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
		// n8n's guidelines allow no more in a simplified output
		expect(Object.keys(items[0].json).length).toBeLessThanOrEqual(10);
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
