import lodash from 'lodash';
import contents from './demoForms.json' with { type: 'json' };
import { type Answers, type NewForm, type Store, timestamp } from '../store.mts';

/** The IDs of the forms. Saved workflows find the forms, because their IDs are the same at every start. */
export const demoForms = lodash.mapValues(contents, ({ id }) => id);

/** A form and its responses. The key of an answer is the custom key of its field. */
type DemoForm = NewForm & { id: string; responses: Answers[] };

/** Fills an empty store with the demo: a workspace, forms, and responses from the last few days. */
export function seed(store: Store, token: string, now: () => number) {
	store.addAccount({ name: 'Demo Workspace', tokens: [token] });
	const data = Buffer.from('Alan Turing\nComputing machinery and intelligence\n');
	store.addFile({ type: 'text/plain; charset=utf-8', data }, 'cv');
	for (const { responses, ...form } of Object.values(contents as Record<string, DemoForm>)) {
		store.addForm(form);
		for (const [index, answers] of responses.entries()) {
			store.addResponse(form.id, {
				// if the form tracks incomplete responses, a response without an email address is incomplete
				incomplete: form.trackIncomplete && !answers.email,
				answers,
				createdAt: timestamp(now() - (responses.length - index) * 86_400_000),
			});
		}
	}
}
