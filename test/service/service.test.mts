import { expect, it, onTestFinished } from 'vitest';
import { demoForms, startService } from './index.mts';

const { event } = demoForms;

/** Starts a service that ends with the test, and a client that sends what section 4 asks for. */
async function start() {
	const service = await startService();
	onTestFinished(async () => await service.close());
	const accept = { accept: 'application/json', 'content-type': 'application/json' };
	const headers = { ...accept, authorization: `Bearer ${service.token}` };
	const post = async (path: string, data: unknown) => {
		const request = { method: 'POST', headers, body: JSON.stringify(data) };
		const reply = await fetch(service.baseUrl + path, request);
		return { status: reply.status, body: await reply.json() };
	};
	return { service, post };
}

it('adds strings and integers under UUIDs of the form’s fields (section 4, rules 2 and 3)', async () => {
	const { service, post } = await start();
	const fields = [{ label: 'Text' }, { label: 'File', type: 'file_upload' as const }];
	const { id } = service.store.addForm({ name: 'Form', fields });
	const [text, file] = service.store.fields(id).map(({ uuid }) => uuid);
	const path = `/forms/${id}/response`;
	const refused = [{}, { [text]: true }, { [text]: 1.5 }, { [file]: '/a.pdf' }, { Text: 'a' }];
	for (const data of refused) expect((await post(path, { data })).status).toBe(400);
	const taken = { [text]: 'Grüße 😀', [file]: 'https://files.example/a.pdf' };
	expect((await post(path, { data: taken })).status).toBe(200);
	const stored = service.store.responses(id).map(({ answers }) => answers[file]);
	expect(stored).toEqual([['a.pdf|https://files.example/a.pdf']]);
	const [{ uuid }] = service.store.fields(event);
	const closed = await post(`/forms/${event}/response`, { data: { [uuid]: 'x' } });
	expect(closed).toMatchObject({ status: 403, body: { message: /closed/ as unknown } });
});

it('updates settings (section 2.5) all or not at all', async () => {
	const { service, post } = await start();
	const { id } = service.store.addForm({ name: 'Before' });
	const path = `/forms/${id}/settings`;
	const wrong = {
		...{ name: null, is_closed: 'true', after_message: 1, number_prefix: 'a'.repeat(11) },
		...{ after_redirect_delay: 61, after_redirect_url: 'example.com' },
		...{ responses_limit: 0, captcha: 'hcaptcha', color: 'red' },
	};
	const refused = await post(path, { seo_title: 'After', ...wrong });
	expect(refused).toMatchObject({ status: 400, body: { success: false } });
	expect(Object.keys(refused.body.errors)).toEqual(Object.keys(wrong));
	expect(service.store.form(id)?.settings).toMatchObject({ name: 'Before', seo_title: null });
	const good = { name: 'ä'.repeat(255), number_prefix: '😀'.repeat(10), captcha: 'none' };
	const { status, body } = await post(path, { ...good, responses_limit: null, is_closed: 1 });
	expect([status, body.data.id, body.data.name]).toEqual([200, id, good.name]);
	expect(service.store.form(id)?.settings).toMatchObject({ ...good, is_closed: true });
});
