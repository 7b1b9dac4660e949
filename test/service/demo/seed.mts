import { createHash } from 'node:crypto';
import { demoContents, type DemoForm, demoForms } from './demoForms.mts';
import type { Store } from '../store/store.mts';
import { timestamp } from '../store/values.mts';

/** The token of the seeded account. */
export const DEMO_TOKEN = 'demo-access-token';

/** The UUID of a seeded field: a version 4 in form, and the same at every start. */
function demoFieldUuid(formId: string, name: string): string {
	const hex = createHash('sha256').update(`${formId}/${name}`).digest('hex');
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Fills an empty store with a workspace, forms and responses of the last days. */
export function seed(store: Store, token: string, now: () => number) {
	store.transaction(() => {
		const { id: accountId } = store.addAccount({
			name: 'Demo Workspace',
			tokens: [token],
			workspace: {
				webhook_secret: 'demo-webhook-secret-3f9d1c',
				slack_webhook_url: 'https://hooks.slack.example/services/demo-slack-secret-77ab',
				discord_webhook_url: 'https://discord.example/api/webhooks/demo-discord-secret-c41e',
				after_message: '<p>Thank you for your response.</p>',
			},
		});
		for (const [key, form] of Object.entries(demoContents)) {
			addForm(store, accountId, demoForms[key as keyof typeof demoForms], form, now());
		}
	});
}

function addForm(
	store: Store,
	accountId: number,
	id: string,
	{ fields, responses, ...form }: DemoForm,
	now: number,
) {
	const uuid = (key: string) => demoFieldUuid(id, key);
	const named = fields.map((field) => ({ ...field, uuid: uuid(field.customKey) }));
	store.addForm({ ...form, id, accountId, fields: named });
	responses.forEach(({ answers, ...response }, index) => {
		const daysAgo = responses.length - index;
		store.addResponse(id, {
			...response,
			answers: Object.fromEntries(
				Object.entries(answers).map(([key, value]) => [uuid(key), value]),
			),
			createdAt: timestamp(now - daysAgo * 86_400_000),
		});
	});
	if (id === demoForms.application) addCv(store, store.responses(id)[0]!.uuid, uuid('cv'));
}

/** A file of the service's own, so that a download has something to fetch. */
function addCv(store: Store, response: string, field: string) {
	const data = new TextEncoder().encode('Alan Turing\nComputing machinery and intelligence\n');
	const file = store.addFile({ name: 'cv.txt', type: 'text/plain; charset=utf-8', data });
	store.editResponse(response, { [field]: [`cv.txt|/files/${file.id}/cv.txt`] });
}
