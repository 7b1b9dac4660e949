import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { withBothEngines } from '../checked/bothEngines.mts';
import { locator, n8nFor, type N8n } from '../harness.mts';
import { nodeOf, typeOf } from '../n8n/package.mts';
import { running } from './running.mts';

const { service } = await running();
const [{ uuid: responseId }] = service.store.responses(demoForms.contact);
const [{ uuid: fieldId }] = service.store.fields(demoForms.contact);
const formId = locator(demoForms.contact);
const { description } = nodeOf(typeOf('formService'));

/** Parameters of each operation; all else has its default. */
const operations: Record<string, INodeParameters> = {
	'Field: Get Many': { resource: 'field', operation: 'getAll', formId },
	'Form: Get': { resource: 'form', operation: 'get', formId },
	'Form: Get Many': { resource: 'form', operation: 'getAll' },
	'Response: Create': {
		resource: 'response',
		operation: 'create',
		formId,
		inputMode: 'json',
		answersJson: `{"${fieldId}": "Ada"}`,
	},
	'Response: Get': { resource: 'response', operation: 'get', formId, responseId },
	'Response: Get Many': { resource: 'response', operation: 'getAll', formId },
	'Response: Get Many, complete': {
		resource: 'response',
		operation: 'getAll',
		formId,
		status: 'complete',
	},
	'Response: Get PDF': { resource: 'response', operation: 'getPdf', responseId },
	'Setting: Update': {
		resource: 'settings',
		operation: 'update',
		formId,
		settings: { is_closed: false, cta_label: 'Send' },
	},
	'Workspace: Get': { resource: 'workspace', operation: 'get' },
};

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

/** With the ID from an expression, as a workflow has it that is not built in the editor. */
const fromItem = (parameters: INodeParameters) => ({
	...parameters,
	...(parameters.formId && { formId: locator('={{ $json.form }}') }),
	...(parameters.responseId && { responseId: '={{ $json.response }}' }),
});

withBothEngines('what is declared', () => {
	const bases = ['', '/', '/api/v1', '/api/v1//'].map((end) => service.url + end);

	it.each(Object.entries(operations))('is what is sent: %s', async (_name, parameters) => {
		for (const [index, baseUrl] of bases.entries()) {
			const n8n = n8nFor({ accessToken: service.token, baseUrl });
			const json = { form: demoForms.contact, response: ` ${responseId} ` };
			const given = index % 2 === 0 ? parameters : fromItem(parameters);
			const declared = await firstDeclared(n8n, given, json);
			expect(declared).toEqual(await firstRequest(n8n, given, json));
			expect(declared.headers).toMatchObject({ accept: 'application/json' });
		}
	});

	it('leaves it to the check to say that a value is no ID, whatever it is', async () => {
		const n8n = n8nFor({ accessToken: service.token, baseUrl: service.url });
		const values = ['../workspace', 'a%2fb', '\ud800', '', ' ', -1, null, true, [], { a: {} }];
		for (const form of values) {
			const { error } = await n8n.runNode(fromItem(operations['Field: Get Many']), [
				{ json: { form } as IDataObject },
			]);
			expect(error?.message, JSON.stringify(form)).toMatch(
				/^'Form' (is missing|is not a valid ID)$/,
			);
		}
		expect(service.requests).toEqual([]);
	});
});
