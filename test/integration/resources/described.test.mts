import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mts';
import { demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { inputFor, operationCases } from './operations.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();

/** The nodes' outputs by the paths of their previews, which n8n shows before a node has run. */
const outputs = operationCases.map(({ name, resource, operation, parameters }) => {
	const path = `v1.0.0/${resource}/${operation}.json`;
	const run = async () => (await n8n.runNode(parameters, inputFor(service).slice(0, 1))).items;
	return { name, path, run };
});
const watching = { formId: locator(demoForms.contact), events: ['responseCompleted'] };
const testEvent = async () => (await n8n.runPoll(watching, { mode: 'manual' })).items ?? [];
outputs.push({ name: 'the trigger', path: 'v1.0.0.json', run: testEvent });

it.each(outputs)('The output preview of $name shows what it gives', async ({ path, run }) => {
	const file = join(root, 'nodes/FormService/__schema__', path);
	const { properties } = JSON.parse(readFileSync(file, 'utf8')) as { properties: object };
	const [{ json }] = await run();
	expect(Object.keys(json)).toEqual(expect.arrayContaining(Object.keys(properties)));
	// n8n's guidelines allow no more in a simplified output
	expect(Object.keys(json).length).toBeLessThanOrEqual(10);
});
