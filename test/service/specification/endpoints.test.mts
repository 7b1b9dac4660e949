import { describe, expect, it } from 'vitest';
import { demoForms } from '../index.mts';
import { startForTest } from '../startForTest.mts';

const { contact, survey, newsletter, event } = demoForms;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

describe('the API', () => {
	it('redirects to a login page without Accept: application/json (section 5)', async () => {
		const { send } = await startForTest();
		const reply = await send('/forms', { headers: { accept: '*/*' } });
		expect([reply.status, reply.headers.get('location')]).toEqual([302, '/login']);
	});

	it('refuses a wrong token with 401, uncounted and without limits (section 7)', async () => {
		const { send, get } = await startForTest();
		const reply = await send('/forms', {}, 'wrong');
		expect(reply.status).toBe(401);
		expect(await reply.json()).toEqual({ success: false, message: 'Unauthenticated.' });
		expect(reply.headers.has('x-ratelimit-limit')).toBe(false);
		expect((await get('/forms')).headers.get('x-ratelimit-remaining')).toBe('59');
	});

	it('answers 403 for what belongs to another account, and 404 for what does not exist', async () => {
		const { service, send, get } = await startForTest();
		service.store.addAccount({ tokens: ['other'] });
		const [{ uuid }] = service.store.responses(contact);
		for (const path of [`/forms/${contact}/fields`, `/response/${uuid}/pdf`]) {
			expect((await send(path, {}, 'other')).status).toBe(403);
		}
		for (const path of ['/forms/zzzzzz/fields', '/responses/zzzzzz', '/nothing']) {
			expect(await get(path)).toMatchObject({ status: 404, body: { success: false } });
		}
	});

	it('lists the workspace, forms and fields (sections 2.1 to 2.3)', async () => {
		const { get } = await startForTest();
		const { data: workspace } = (await get('/workspace')).body;
		expect(Object.keys(workspace)).toHaveLength(22);
		expect(workspace.created_at).toMatch(TIMESTAMP);
		const { data: forms } = (await get('/forms')).body;
		expect(forms.map(({ id }: { id: string }) => id)).toEqual(Object.values(demoForms));
		expect((await get(`/forms/${contact}/fields`)).body.data).toEqual(forms[0].fields);
		expect(forms[0].fields[0]).toMatchObject({
			uuid: expect.stringMatching(UUID),
			label: 'Name',
			mandatory: true,
		});
	});

	it('lists the responses of a form, by their state if asked to (section 4, rule 1)', async () => {
		const { get } = await startForTest();
		const { data } = (await get(`/responses/${survey}`)).body;
		expect(data[0]).toMatchObject({
			uuid: expect.stringMatching(UUID),
			number_formatted: 'S-2',
			is_incomplete: false,
			created_at: expect.stringMatching(TIMESTAMP),
		});
		expect(data[0].responses[2]).toEqual({ key: 'What do you use?', value: ['Reports'] });
		for (const [query, states] of [
			['', [true, false]],
			['?incomplete=true', [true]],
			['?incomplete=false', [false]],
		]) {
			const listed = (await get(`/responses/${newsletter}${query}`)).body.data;
			expect(listed.map((one: { is_incomplete: boolean }) => one.is_incomplete)).toEqual(states);
		}
	});

	it('links to a PDF that needs no token', async () => {
		const { service, get } = await startForTest();
		const [{ uuid }] = service.store.responses(contact);
		const reply = await fetch((await get(`/response/${uuid}/pdf`)).body.data.pdf_url);
		expect(reply.headers.get('content-type')).toBe('application/pdf');
		expect(await reply.text()).toMatch(/^%PDF-[^]*%%EOF\s*$/);
	});

	it('adds strings and integers under UUIDs of the form’s fields (section 4, rules 2 and 3)', async () => {
		const { service, post } = await startForTest();
		const fields = [{ label: 'Text' }, { label: 'File', type: 'file_upload' as const }];
		const { id } = service.store.addForm({ name: 'Form', fields });
		const [text, file] = service.store.fields(id).map(({ uuid }) => uuid);
		const path = `/forms/${id}/response`;
		const taken = { [text]: 'Grüße 😀', [file]: 'https://files.example/a.pdf' };
		expect((await post(path, { data: taken })).status).toBe(200);
		expect(service.store.responses(id)[0].answers[file]).toEqual([
			'a.pdf|https://files.example/a.pdf',
		]);
		const refused = [{}, { [text]: true }, { [text]: 1.5 }, { [file]: '/a.pdf' }, { Text: 'a' }];
		for (const data of refused) expect((await post(path, { data })).status).toBe(400);
		expect(service.store.responses(id)).toHaveLength(1);
		const [{ uuid }] = service.store.fields(event);
		const closed = await post(`/forms/${event}/response`, { data: { [uuid]: 'x' } });
		expect(closed).toMatchObject({ status: 403, body: { message: /closed/ as unknown } });
	});
});

describe('the page of a form', () => {
	const type = async (url: string, values: Record<string, string>) =>
		await fetch(url, { method: 'POST', body: new URLSearchParams(values) });

	it('stores what is typed as incomplete, and completes it when it is submitted', async () => {
		const { service } = await startForTest({ seed: false });
		const fields = [{ label: 'Score', type: 'number' as const, mandatory: true }];
		const { id } = service.store.addForm({ name: 'Form', trackIncomplete: true, fields });
		const [{ uuid }] = service.store.fields(id);
		const page = `${service.url}/f/${id}`;
		await type(`${page}/partial`, { draft: 'd', [uuid]: '4' });
		const [started] = service.store.responses(id);
		expect(started).toMatchObject({ isIncomplete: true, answers: { [uuid]: 4 } });
		expect((await type(page, { draft: 'd', [uuid]: '' })).status).toBe(422);
		expect((await type(page, { draft: 'd', [uuid]: '4.5' })).status).toBe(200);
		const completed = { uuid: started.uuid, isIncomplete: false, answers: { [uuid]: 4.5 } };
		expect(service.store.responses(id)).toMatchObject([completed]);
	});
});
