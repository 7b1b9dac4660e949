import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { previews, type Schema } from '../../../scripts/previews.mts';
import { demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { running } from './running.mts';

const { service, n8n } = await running();
const [{ uuid: responseId }] = service.store.responses(demoForms.contact);
const [{ uuid: fieldId }] = service.store.fields(demoForms.contact);

/** What an operation needs beside a form. */
const parametersOf: Record<string, INodeParameters> = {
	'response/create': { inputMode: 'json', answersJson: `{"${fieldId}": "Ada"}` },
	'response/get': { responseId },
	'response/getPdf': { responseId },
	'settings/update': { settings: { cta_label: 'Send' } },
};

describe('the output previews', () => {
	const operations = Object.keys(previews).flatMap((path) => {
		const found = /^v1\.0\.0\/(\w+)\/(\w+)\.json$/.exec(path);
		return found ? [[found[1], found[2], previews[path]] as const] : [];
	});

	it.each(operations)(
		'%s/%s shows what the operation gives',
		async (resource, operation, schema) => {
			const { items, error } = await n8n.runNode({
				resource,
				operation,
				formId: locator(demoForms.contact),
				...parametersOf[`${resource}/${operation}`],
			});
			expect(error).toBeUndefined();
			expectToFit(items[0].json, schema, resource);
		},
	);

	it('of the trigger shows what "Fetch test event" gives', async () => {
		const { items } = await n8n.runPoll(
			{ formId: locator(demoForms.contact), events: ['responseCompleted'] },
			{ mode: 'manual' },
		);
		const schema = previews['v1.0.0.json'];
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
