import { describe, expect, it } from 'vitest';
import { demoForms, type NewForm, type Service } from '../index.mts';
import { serviceForTest } from '../testClient.mts';

const page = async (service: Service, path: string) => {
	const reply = await fetch(service.url + path);
	return { status: reply.status, headers: reply.headers, text: await reply.text() };
};

const submit = async (
	service: Service,
	path: string,
	values: FormData | Record<string, string> | string[][],
) => {
	const body = values instanceof FormData ? values : new URLSearchParams(values);
	const reply = await fetch(service.url + path, { method: 'POST', body, redirect: 'manual' });
	return { status: reply.status, text: await reply.text() };
};

/** A service with one form, and its fields' UUIDs in order. */
async function withForm(form: Partial<NewForm>) {
	const { service } = await serviceForTest({ seed: false });
	const { id } = service.store.addForm({ name: 'Form', ...form });
	const uuids = service.store.fields(id).map(({ uuid }) => uuid);
	return { service, id, path: `/f/${id}`, uuids, responses: () => service.store.responses(id) };
}

describe('the index page', () => {
	it('lists the forms and says that this is a stand-in', async () => {
		const { service } = await serviceForTest();
		const { status, text } = await page(service, '/');
		expect(status).toBe(200);
		expect(text).toContain('Demo Workspace');
		expect(text).toContain('This is a stand-in for Form Service');
		for (const id of Object.values(demoForms)) expect(text).toContain(`href="/f/${id}"`);
		expect(text).not.toContain(service.token);
	});
});

describe('a form’s page', () => {
	it('has a labelled control for every field', async () => {
		const { service } = await serviceForTest();
		for (const id of [demoForms.contact, demoForms.survey, demoForms.application]) {
			const { status, text } = await page(service, `/f/${id}`);
			expect(status).toBe(200);
			for (const { uuid, label, options } of service.store.fields(id)) {
				expect(text).toContain(`name="${uuid}"`);
				expect(text).toContain(label);
				for (const option of options ?? []) expect(text).toContain(`value="${option}"`);
			}
		}
	});

	it('says that a multiple choice is mandatory where no control of it can', async () => {
		const { service, path } = await withForm({
			fields: [{ label: 'Topics', type: 'multiple_choice', options: ['News'], mandatory: true }],
		});
		const { text } = await page(service, path);
		expect(text).toContain('aria-label="required"');
	});

	it('escapes what a form’s author wrote', async () => {
		const { service, path } = await withForm({
			name: '<b>&',
			fields: [{ label: '"><script>alert(1)</script>' }],
		});
		const { text } = await page(service, path);
		expect(text).not.toContain('<script>alert');
		expect(text).toContain('&#60;b&#62;&#38;');
	});

	it('lets no script run but its own', async () => {
		const { service } = await serviceForTest();
		const { headers, text } = await page(service, `/f/${demoForms.newsletter}`);
		const nonce = /<script nonce="([\w-]+)">/.exec(text)?.[1];
		expect(headers.get('content-security-policy')).toContain(`script-src 'nonce-${nonce}'`);
	});

	it('heeds the settings that a person sees', async () => {
		const { service, path } = await withForm({
			settings: {
				show_formtitle: false,
				seo_title: 'A title',
				seo_allow_bots: false,
				cta_label: 'Go now',
			},
		});
		const { text } = await page(service, path);
		expect(text).toContain('<title>A title</title>');
		expect(text).not.toContain('<h1>');
		expect(text).toContain('content="noindex"');
		expect(text).toContain('>Go now</button>');
	});

	it('is not there for an unknown form', async () => {
		const { service } = await serviceForTest();
		expect(await page(service, '/f/zzzzzz')).toMatchObject({ status: 404 });
		expect(await submit(service, '/f/zzzzzz', {})).toMatchObject({ status: 404 });
	});
});

describe('a submission', () => {
	it('becomes a complete response with values of their kind', async () => {
		const { service, path, uuids, responses } = await withForm({
			fields: [
				{ label: 'Text' },
				{ label: 'Number', type: 'number' },
				{ label: 'Several', type: 'multiple_choice', options: ['a', 'b', 'c'] },
				{ label: 'Empty' },
			],
		});
		const [text, number, several, empty] = uuids as [string, string, string, string];
		const values = [
			[text, 'line 1\r\nline 2'],
			[number, '4.5'],
			[several, 'a'],
			[several, 'c'],
			[empty, ''],
		];
		const { status, text: thanks } = await submit(service, path, values);
		expect(status).toBe(200);
		expect(thanks).toContain('Thank you');
		expect(responses()).toMatchObject([
			{
				isIncomplete: false,
				answers: { [text]: 'line 1\nline 2', [number]: 4.5, [several]: ['a', 'c'], [empty]: null },
			},
		]);
	});

	it('is shown again with what is wrong, and not stored, when a mandatory answer is missing', async () => {
		const { service, path, uuids, responses } = await withForm({
			fields: [
				{ label: 'Name', mandatory: true },
				{ label: 'Note', type: 'textarea' },
			],
		});
		const { status, text } = await submit(service, path, { [uuids[1]!]: 'kept <text>' });
		expect(status).toBe(422);
		expect(text).toContain('Please fill in this field.');
		expect(text).toContain(`aria-describedby="fault-${uuids[0]}"`);
		expect(text).toContain('kept &#60;text&#62;</textarea>');
		expect(responses()).toEqual([]);
	});

	it.each([
		['number', 'three'],
		['email', 'nobody'],
		['url', 'example.com'],
		['file_upload', 'cv.pdf'],
		['dropdown', 'another'],
	] as const)('is refused when a %s field holds "%s"', async (type, value) => {
		const options = type === 'dropdown' ? ['one'] : null;
		const { service, path, uuids, responses } = await withForm({
			fields: [{ label: 'Field', type, options }],
		});
		expect((await submit(service, path, { [uuids[0]!]: value })).status).toBe(422);
		expect(responses()).toEqual([]);
	});

	it('can bring a file, which the service then serves', async () => {
		const { service, path, uuids, responses } = await withForm({
			fields: [{ label: 'File', type: 'file_upload' }],
		});
		const data = new FormData();
		data.append(uuids[0]!, new File(['content ä'], 'über us.txt', { type: 'text/plain' }));
		await submit(service, path, data);
		const [stored] = responses();
		const [name, address] = (stored!.answers[uuids[0]!] as string[])[0]!.split('|') as [
			string,
			string,
		];
		expect(name).toBe('über us.txt');
		const reply = await fetch(service.filesUrl + address);
		expect(reply.headers.get('content-type')).toContain('text/plain');
		expect(await reply.text()).toBe('content ä');
	});

	it('is thanked with the form’s own words and sent on when the form says so', async () => {
		const { service, path } = await withForm({
			settings: {
				after_message: '<p>Our <em>thanks</em></p>',
				after_redirect_url: 'https://example.com/next?a=1&b=2',
				after_redirect_delay: 3,
			},
		});
		const { text } = await submit(service, path, {});
		expect(text).toContain('<p>Our <em>thanks</em></p>');
		expect(text).toContain('content="3;url=https://example.com/next?a=1&#38;b=2"');
	});

	it('is stored once, however often it is sent', async () => {
		const { service, path, responses } = await withForm({});
		const values = { draft: 'd1' };
		await Promise.all([submit(service, path, values), submit(service, path, values)]);
		expect(await submit(service, path, values)).toMatchObject({ status: 200 });
		expect(responses()).toHaveLength(1);
	});
});

describe('a closed form', () => {
	it('shows its closed message and takes nothing', async () => {
		const { service } = await serviceForTest();
		const path = `/f/${demoForms.event}`;
		const before = service.store.responses(demoForms.event).length;
		expect((await page(service, path)).text).toContain('Registration has closed.');
		expect(await submit(service, path, {})).toMatchObject({ status: 403 });
		expect(service.store.responses(demoForms.event)).toHaveLength(before);
	});

	it('is what a form becomes at its limit of responses', async () => {
		const { service, path, responses } = await withForm({ settings: { responses_limit: 1 } });
		expect((await submit(service, path, {})).status).toBe(200);
		expect((await submit(service, path, {})).status).toBe(403);
		expect(responses()).toHaveLength(1);
	});
});

describe('what is typed before it is submitted', () => {
	const tracked = async () =>
		await withForm({ trackIncomplete: true, fields: [{ label: 'Name', mandatory: true }] });

	it('is an incomplete response, which follows the typing', async () => {
		const { service, path, uuids, responses } = await tracked();
		await submit(service, `${path}/partial`, { draft: 'd1', [uuids[0]!]: 'A' });
		await submit(service, `${path}/partial`, { draft: 'd1', [uuids[0]!]: 'Ada' });
		expect(responses()).toMatchObject([{ isIncomplete: true, answers: { [uuids[0]!]: 'Ada' } }]);
	});

	it('becomes the complete one, with the same UUID', async () => {
		const { service, path, uuids, responses } = await tracked();
		await submit(service, `${path}/partial`, { draft: 'd1', [uuids[0]!]: 'Ada' });
		const { uuid } = responses()[0]!;
		await submit(service, path, { draft: 'd1', [uuids[0]!]: 'Ada Lovelace' });
		expect(responses()).toMatchObject([
			{ uuid, isIncomplete: false, answers: { [uuids[0]!]: 'Ada Lovelace' } },
		]);
	});

	it('changes nothing when it arrives after the submission', async () => {
		const { service, path, uuids, responses } = await tracked();
		await submit(service, path, { draft: 'd1', [uuids[0]!]: 'Ada Lovelace' });
		await submit(service, `${path}/partial`, { draft: 'd1', [uuids[0]!]: 'Ada' });
		expect(responses()).toMatchObject([
			{ isIncomplete: false, answers: { [uuids[0]!]: 'Ada Lovelace' } },
		]);
	});

	it('does not take a submission with it when it has been deleted', async () => {
		const { service, path, uuids, responses } = await tracked();
		await submit(service, `${path}/partial`, { draft: 'd1', [uuids[0]!]: 'Ada' });
		service.store.deleteResponse(responses()[0]!.uuid);
		await submit(service, path, { draft: 'd1', [uuids[0]!]: 'Ada' });
		expect(responses()).toMatchObject([{ isIncomplete: false }]);
	});

	it('is nothing when nothing is typed', async () => {
		const { service, path, responses } = await tracked();
		await submit(service, `${path}/partial`, { draft: 'd1' });
		expect(responses()).toEqual([]);
	});

	it('is not recorded by a form that does not track it, or is closed', async () => {
		const { service, id, path, uuids, responses } = await tracked();
		const values = { draft: 'd1', [uuids[0]!]: 'Ada' };
		service.store.trackIncomplete(id, false);
		await submit(service, `${path}/partial`, values);
		service.store.trackIncomplete(id, true);
		service.store.editSettings(id, { is_closed: true });
		await submit(service, `${path}/partial`, values);
		expect(responses()).toEqual([]);
	});
});
