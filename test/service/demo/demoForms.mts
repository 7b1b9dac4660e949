import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Answers, type NewField, type NewForm, type Store, timestamp } from '../store.mts';

/** Ids of the seeded forms, the same at every start, so that examples can name them. */
export const demoForms = {
	contact: 'Kt7mQa',
	survey: 'sV3yR1',
	application: 'aP9Lx2',
	newsletter: 'tR4cKd',
	event: 'cL0s3D',
} as const;

export const DEMO_TOKEN = 'demo-access-token';

type DemoForm = Omit<NewForm, 'id' | 'fields'> & {
	fields: NewField[];
	/** answers by the custom key of their field */
	responses: Answers[];
};

/** What the forms have; who has not entered an address in a form that tracks that has not submitted it yet. */
const contents = JSON.parse(
	readFileSync(new URL('demoForms.json', import.meta.url), 'utf8'),
) as Record<keyof typeof demoForms, DemoForm>;

/** The UUID of a seeded field: a version 4 in form, and the same at every start. */
function deriveUuid(formId: string, key: unknown): string {
	const hex = createHash('sha256').update(`${formId}/${key}`).digest('hex');
	return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}

/** Fills an empty store with a workspace, forms and responses of the last days. */
export function seed(store: Store, token: string, now: () => number) {
	const workspace = {
		webhook_secret: 'demo-webhook-secret-3f9d1c',
		slack_webhook_url: 'https://hooks.slack.example/services/demo-slack-secret-77ab',
		discord_webhook_url: 'https://discord.example/api/webhooks/demo-discord-secret-c41e',
		after_message: '<p>Thank you for your response.</p>',
	};
	store.addAccount({ name: 'Demo Workspace', tokens: [token], workspace });
	const data = new TextEncoder().encode('Alan Turing\nComputing machinery and intelligence\n');
	const file = store.addFile({ name: 'cv.txt', type: 'text/plain; charset=utf-8', data });
	const cv = [`cv.txt|/files/${file.id}/cv.txt`];
	for (const [key, { fields, responses, ...form }] of Object.entries(contents)) {
		const id = demoForms[key as keyof typeof demoForms];
		const named = fields.map((one) => ({ ...one, uuid: deriveUuid(id, one.customKey) }));
		store.addForm({ ...form, id, fields: named });
		for (const [index, answers] of responses.entries()) {
			const all = key === 'application' ? { ...answers, cv } : answers;
			const entries = Object.entries(all).map(([custom, value]) => {
				return [deriveUuid(id, custom), value] as const;
			});
			store.addResponse(id, {
				incomplete: form.trackIncomplete && !answers.email,
				answers: Object.fromEntries(entries),
				createdAt: timestamp(now() - (responses.length - index) * 86_400_000),
			});
		}
	}
}
