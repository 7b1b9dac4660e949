import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { rawReply, demoForms, success } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { running } from '../world.mts';

const SECRET = 'planted-secret-7f3a';

/** Secrets at several depths and under several spellings of their names. */
const planted: IDataObject = {
	...{ webhook_secret: SECRET, accessToken: SECRET, 'API Key': SECRET, secret: SECRET },
	discord_webhook_url: `https://chat.example/${SECRET}`,
	settings: {
		slackWebhookUrl: SECRET,
		list: [{ apiKey: SECRET, api_token: SECRET, password: SECRET, kept: 1 }],
	},
};
const withoutPlanted = { settings: { list: [{ kept: 1 }] } };

/** With names that look like secrets. */
const workspace = {
	...{ name: 'Demo', after_redirect_url: 'https://example.com', secretary: 'Ada' },
	...{ token_count: 2, service_keyword: 'a', webhook_events: [], owner: { confirmed_at: null } },
};
const contact = { id: demoForms.contact, name: 'Contact' };
const field = { uuid: 'f1', label: 'Password', type: 'text' };
const response = { uuid: 'r1', responses: { 'Password hint': 'blue', 'API key in use': 'none' } };

const { service, n8n } = await running();
const formId = locator(demoForms.contact);

it.each<[INodeParameters, IDataObject]>([
	[{ resource: 'workspace', operation: 'get', simplify: false }, workspace],
	[{ resource: 'form', operation: 'get', formId, simplify: false }, contact],
	[
		{ resource: 'form', operation: 'getAll', simplify: false },
		{ ...contact, fields: [field] },
	],
	[{ resource: 'field', operation: 'getAll', formId }, field],
	[{ resource: 'response', operation: 'getAll', formId, simplify: false }, response],
])(
	'The secrets in a record of the service are left out, and nothing else: %j',
	async (...given) => {
		const [parameters, record] = given;
		const sent = { ...record, ...planted };
		const data = parameters.resource === 'workspace' ? sent : [sent];
		service.faults.set({ fault: success(data) });
		const { items, run } = await n8n.runNode(parameters);
		expect(JSON.stringify(run)).not.toContain(SECRET);
		expect(items[0].json).toEqual({ ...record, ...withoutPlanted });
	},
);

it('Names of objects themselves, as attributes and labels, change none', async () => {
	const text =
		'{"data":[{"uuid":"a","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"responses":[{"key":"__proto__","value":"x"},{"key":"constructor","value":"y"}]}]}';
	service.faults.set({ fault: rawReply(200, 'application/json', text) });
	const { items } = await n8n.runNode({ resource: 'response', operation: 'getAll', formId });
	expect(Object.values(items[0].json.answers as object)).toEqual(['x', 'y']);
	expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});
