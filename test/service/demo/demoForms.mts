import type { NewField, NewForm } from '../store/forms.mts';
import type { Answers, NewResponse } from '../store/responses.mts';

/** Ids of the seeded forms, the same at every start, so that examples can name them. */
export const demoForms = {
	contact: 'Kt7mQa',
	survey: 'sV3yR1',
	application: 'aP9Lx2',
	newsletter: 'tR4cKd',
	event: 'cL0s3D',
} as const;

export type DemoForm = Omit<NewForm, 'id' | 'fields'> & {
	fields: Array<NewField & { customKey: string }>;
	/** answers by the custom key of their field */
	responses: Array<Omit<NewResponse, 'answers'> & { answers: Answers }>;
};

const name = { label: 'Name', customKey: 'name', mandatory: true };
const email = {
	label: 'Email',
	customKey: 'email',
	type: 'email',
	mandatory: true,
} as const;

/** What the seeded forms ask, and the responses that they start with. */
export const demoContents: Record<keyof typeof demoForms, DemoForm> = {
	contact: {
		name: 'Contact',
		settings: {
			description: 'Ask us anything.',
			cta_label: 'Send message',
			after_message: '<p>Thank you, we answer within a day.</p>',
		},
		fields: [
			name,
			email,
			{ label: 'Phone', customKey: 'phone', type: 'phone' },
			{ label: 'Message', customKey: 'message', type: 'textarea', mandatory: true },
		],
		responses: [
			{
				answers: {
					name: 'Ada Lovelace',
					email: 'ada@example.com',
					message: 'Do you ship to London?',
				},
			},
			{
				answers: {
					name: 'Grace Hopper',
					email: 'grace@example.com',
					phone: '+1 555 0100',
					message: 'The page says "99 < 100".\nIs that so?',
				},
			},
		],
	},
	survey: {
		name: 'Customer Survey',
		settings: { number_prefix: 'S-' },
		fields: [
			{
				label: 'How did you hear about us?',
				customKey: 'source',
				type: 'dropdown',
				options: ['A friend', 'Search', 'An advertisement'],
			},
			{
				label: 'How satisfied are you?',
				customKey: 'satisfaction',
				type: 'single_choice',
				mandatory: true,
				options: ['Very', 'Somewhat', 'Not at all'],
			},
			{
				label: 'What do you use?',
				customKey: 'features',
				type: 'multiple_choice',
				options: ['Forms', 'Reports', 'Integrations'],
			},
			{ label: 'Score from 0 to 10', customKey: 'score', type: 'number' },
			{ label: 'Comment', customKey: 'comment_good', description: 'What is good?' },
			{ label: 'Comment', customKey: 'comment_bad', description: 'What could be better?' },
		],
		responses: [
			{
				answers: {
					source: 'Search',
					satisfaction: 'Very',
					features: ['Forms', 'Integrations'],
					score: 9,
					comment_good: 'It is quick.',
					comment_bad: 'Nothing comes to mind.',
				},
			},
			{ answers: { satisfaction: 'Somewhat', features: ['Reports'], score: 6 } },
		],
	},
	application: {
		name: 'Job Application',
		fields: [
			name,
			email,
			{ label: 'Earliest start', customKey: 'start', type: 'date' },
			{ label: 'Portfolio', customKey: 'portfolio', type: 'url' },
			{ label: 'CV', customKey: 'cv', type: 'file_upload', description: 'One file, up to 20 MB.' },
		],
		responses: [
			{
				answers: {
					name: 'Alan Turing',
					email: 'alan@example.com',
					start: '2027-01-04',
					portfolio: 'https://example.com/alan',
				},
			},
		],
	},
	newsletter: {
		name: 'Newsletter Sign-up',
		trackIncomplete: true,
		settings: { description: 'Records what is typed before it is submitted.' },
		fields: [
			name,
			email,
			{
				label: 'Topics',
				customKey: 'topics',
				type: 'multiple_choice',
				options: ['News', 'Tips', 'Events'],
			},
		],
		responses: [
			{ answers: { name: 'Mary Jackson', email: 'mary@example.com', topics: ['News', 'Tips'] } },
			{ answers: { name: 'Dorothy' }, incomplete: true },
		],
	},
	event: {
		name: 'Summer Event',
		settings: { is_closed: true, closed_message: 'Registration has closed. See you next year!' },
		fields: [name, email, { label: 'Guests', customKey: 'guests', type: 'number' }],
		responses: [{ answers: { name: 'Edsger Dijkstra', email: 'edsger@example.com', guests: 1 } }],
	},
};
