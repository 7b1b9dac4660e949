import { createHash } from 'node:crypto';
import {
	type Answers,
	type FieldType,
	type NewField,
	type NewForm,
	type Store,
	timestamp,
} from '../store.mts';

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

const field = (
	label: string,
	customKey: string,
	type: FieldType = 'text',
	more: Partial<NewField> = {},
): NewField => ({ label, customKey, type, ...more });

const name = field('Name', 'name', 'text', { mandatory: true });
const email = field('Email', 'email', 'email', { mandatory: true });

const contents: Record<keyof typeof demoForms, DemoForm> = {
	contact: {
		name: 'Contact',
		settings: { description: 'Ask us anything.', cta_label: 'Send message' },
		fields: [
			...[name, email, field('Phone', 'phone', 'phone')],
			field('Message', 'message', 'textarea', { mandatory: true }),
		],
		responses: [
			{
				name: 'Ada Lovelace',
				email: 'ada@example.com',
				message: 'How long does delivery to London take?',
			},
			{ name: 'Grace Hopper', email: 'grace@example.com', message: 'Is "99 < 100"?\nReally?' },
		],
	},
	survey: {
		name: 'Customer Survey',
		settings: { number_prefix: 'S-' },
		fields: [
			field('How did you hear about us?', 'source', 'dropdown', {
				options: ['A friend', 'Search', 'An advertisement'],
			}),
			field('How satisfied are you?', 'satisfaction', 'single_choice', {
				mandatory: true,
				options: ['Very', 'Somewhat', 'Not at all'],
			}),
			field('What do you use?', 'features', 'multiple_choice', {
				options: ['Forms', 'Reports', 'Integrations'],
			}),
			field('Score from 0 to 10', 'score', 'number'),
			field('Comment', 'comment_good', 'text', { description: 'What is good?' }),
			field('Comment', 'comment_bad', 'text', { description: 'What could be better?' }),
		],
		responses: [
			{
				...{ source: 'Search', satisfaction: 'Very', features: ['Forms', 'Integrations'] },
				...{ score: 9, comment_good: 'It is quick.', comment_bad: 'Nothing comes to mind.' },
			},
			{ satisfaction: 'Somewhat', features: ['Reports'], score: 6 },
		],
	},
	application: {
		name: 'Job Application',
		fields: [
			...[name, email, field('Earliest start', 'start', 'date')],
			field('Portfolio', 'portfolio', 'url'),
			field('CV', 'cv', 'file_upload', { description: 'The address of a file.' }),
		],
		responses: [
			{
				...{ name: 'Alan Turing', email: 'alan@example.com', start: '2027-01-04' },
				portfolio: 'https://example.com/alan',
			},
		],
	},
	newsletter: {
		name: 'Newsletter Sign-up',
		trackIncomplete: true,
		settings: { description: 'Records what is typed before it is submitted.' },
		fields: [
			...[name, email],
			field('Topics', 'topics', 'multiple_choice', { options: ['News', 'Tips', 'Events'] }),
		],
		// who has not entered an address has not submitted the form yet
		responses: [
			{ name: 'Mary Jackson', email: 'mary@example.com', topics: ['News', 'Tips'] },
			{ name: 'Dorothy' },
		],
	},
	event: {
		name: 'Summer Event',
		settings: { is_closed: true, closed_message: 'Registration has closed. See you next year!' },
		fields: [name, email, field('Guests', 'guests', 'number')],
		responses: [{ name: 'Edsger Dijkstra', email: 'edsger@example.com', guests: 1 }],
	},
};

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
