import { createHash } from 'node:crypto';
import contents from './demoForms.json' with { type: 'json' };
import { type Answers, type NewField, type NewForm, type Store, timestamp } from '../store.mts';

/** The same at every start, so that saved workflows find the forms. */
export const demoForms = {
	contact: 'Kt7mQa',
	survey: 'sV3yR1',
	application: 'aP9Lx2',
	newsletter: 'tR4cKd',
	event: 'cL0s3D',
} as const;

/** A form and its responses. The key of an answer is the custom key of its field. */
type DemoForm = NewForm & Required<Pick<NewForm, 'fields'>> & { responses: Answers[] };

/** The UUID of a field, which is the same at every start. */
function deriveUuid(formId: string, key: unknown): string {
	const hex = createHash('sha256').update(`${formId}/${key}`).digest('hex');
	return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}

/** Fills an empty store with the demo: a workspace, forms, and responses from the last few days. */
export function seed(store: Store, token: string, now: () => number) {
	store.addAccount({ name: 'Demo Workspace', tokens: [token] });
	const data = Buffer.from('Alan Turing\nComputing machinery and intelligence\n');
	store.addFile({ type: 'text/plain; charset=utf-8', data }, 'cv');
	const forms = Object.entries(contents as Record<string, DemoForm>);
	for (const [key, { fields, responses, ...form }] of forms) {
		const id = demoForms[key as keyof typeof demoForms];
		const identify = (field: NewField) => ({ ...field, uuid: deriveUuid(id, field.customKey) });
		store.addForm({ ...form, id, fields: fields.map(identify) });
		for (const [index, answers] of responses.entries()) {
			store.addResponse(id, {
				// if the form tracks incomplete responses, a response without an email address is incomplete
				incomplete: form.trackIncomplete && !answers.email,
				answers,
				createdAt: timestamp(now() - (responses.length - index) * 86_400_000),
			});
		}
	}
}
