import { describe, expect, it } from 'vitest';
import { demoForms } from '../index.mts';
import { serviceForTest } from '../testClient.mts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const nullable = expect.toSatisfy((value) => value === null || typeof value === 'string');

describe('GET /workspace', () => {
	it('gives every attribute of section 2.1', async () => {
		const { get } = await serviceForTest();
		const { status, body } = await get('/workspace');
		expect(status).toBe(200);
		expect(body).toEqual({
			success: true,
			data: {
				name: 'Demo Workspace',
				logo: nullable,
				logo_backend: nullable,
				ogimage: nullable,
				favicon: nullable,
				after_message: nullable,
				after_redirect_url: nullable,
				after_message_email_subject: nullable,
				after_message_email: nullable,
				field_errormessage: expect.any(String),
				slack_webhook_url: expect.stringContaining('secret'),
				discord_webhook_url: expect.stringContaining('secret'),
				webhook_secret: expect.stringContaining('secret'),
				replyto_email: expect.stringContaining('@'),
				checkout_canceled_message: nullable,
				checkout_canceled_cta: nullable,
				onboarding_completed: expect.any(Boolean),
				timezone: expect.any(String),
				locale: expect.any(String),
				owner: {
					name: expect.any(String),
					email: expect.stringContaining('@'),
					email_verified_at: expect.stringMatching(TIMESTAMP),
					two_factor_confirmed_at: nullable,
					created_at: expect.stringMatching(TIMESTAMP),
				},
				members: expect.any(Array),
				created_at: expect.stringMatching(TIMESTAMP),
			},
		});
	});
});

describe('GET /forms', () => {
	it('lists the forms of the account with their settings and fields', async () => {
		const { get } = await serviceForTest();
		const { body } = await get('/forms');
		expect(body.success).toBe(true);
		expect(body.data.map((form: { id: string }) => form.id)).toEqual(Object.values(demoForms));
		for (const form of body.data) {
			expect(form).toMatchObject({
				id: expect.stringMatching(/^[A-Za-z0-9]{6}$/),
				name: expect.any(String),
				slug: expect.any(String),
				is_closed: expect.any(Boolean),
				created_at: expect.stringMatching(TIMESTAMP),
				updated_at: expect.stringMatching(TIMESTAMP),
			});
			expect(form).toHaveProperty('description');
			expect(form.fields[0]).toMatchObject({
				uuid: expect.stringMatching(UUID),
				label: expect.any(String),
				mandatory: expect.any(Boolean),
			});
		}
	});
});

describe('GET /forms/{id}/fields', () => {
	it('lists the same fields as the listing of forms', async () => {
		const { get } = await serviceForTest();
		const forms = (await get('/forms')).body.data;
		for (const { id, fields } of forms) {
			expect((await get(`/forms/${id}/fields`)).body).toEqual({ success: true, data: fields });
		}
	});
});

describe('GET /responses/{formId}', () => {
	it('lists responses as they have been seen', async () => {
		const { get } = await serviceForTest();
		const { body } = await get(`/responses/${demoForms.survey}`);
		expect(body.data[0]).toEqual({
			uuid: expect.stringMatching(UUID),
			number: 2,
			number_formatted: 'S-2',
			is_incomplete: false,
			created_at: expect.stringMatching(TIMESTAMP),
			referrer: null,
			hubspot_sync: false,
			hubspot_sync_completed: null,
			google_sheets_sync: false,
			google_sheets_synced_at: null,
			webhook_sent: false,
			enrich: null,
			responses: [
				{ key: 'How did you hear about us?', value: null },
				{ key: 'How satisfied are you?', value: 'Somewhat' },
				{ key: 'What do you use?', value: ['Reports'] },
				{ key: 'Score from 0 to 10', value: 6 },
				{ key: 'Comment', value: null },
				{ key: 'Comment', value: null },
			],
		});
	});

	it('gives uploaded files as name and address', async () => {
		const { get } = await serviceForTest();
		const { body } = await get(`/responses/${demoForms.application}`);
		const [file] = body.data[0].responses.at(-1).value;
		const [name, address] = file.split('|');
		expect(name).toBe('cv.txt');
		expect(await (await fetch(address)).text()).toContain('Alan Turing');
	});

	it.each([
		['', [true, false]],
		['?incomplete=true', [true]],
		['?incomplete=false', [false]],
	])('gives the kinds of responses that "%s" asks for', async (query, states) => {
		const { get } = await serviceForTest();
		const { body } = await get(`/responses/${demoForms.newsletter}${query}`);
		const given = body.data.map((one: { is_incomplete: boolean }) => one.is_incomplete);
		expect(given).toEqual(states);
	});

	it('shows no incomplete responses once the form stops tracking them', async () => {
		const { service, get } = await serviceForTest();
		service.store.trackIncomplete(demoForms.newsletter, false);
		const { body } = await get(`/responses/${demoForms.newsletter}`);
		expect(body.data).toHaveLength(1);
	});

	it.each(['1', ''])('refuses incomplete=%s', async (value) => {
		const { get } = await serviceForTest();
		expect((await get(`/responses/${demoForms.contact}?incomplete=${value}`)).status).toBe(400);
	});

	it('leaves a deleted response and its PDF out, and gives its number to no other', async () => {
		const { service, get } = await serviceForTest();
		const { id } = service.store.addForm({ name: 'Form' });
		const { uuid } = service.store.addResponse(id);
		service.store.deleteResponse(uuid);
		service.store.addResponse(id);
		const { body } = await get(`/responses/${id}`);
		expect(body.data.map(({ number }: { number: number }) => number)).toEqual([2]);
		expect((await get(`/response/${uuid}/pdf`)).status).toBe(404);
	});
});

describe('GET /response/{UUID}/pdf', () => {
	it('links to a PDF that needs no token and whose name cannot be guessed', async () => {
		const { service, get } = await serviceForTest();
		const [response] = service.store.responses(demoForms.contact);
		const { body } = await get(`/response/${response!.uuid}/pdf`);
		expect(body).toEqual({ success: true, data: { pdf_url: expect.any(String) } });
		expect(body.data.pdf_url).not.toContain(response!.uuid);

		const reply = await fetch(body.data.pdf_url);
		const pdf = Buffer.from(await reply.arrayBuffer());
		expect(reply.headers.get('content-type')).toBe('application/pdf');
		expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
		expect(pdf.toString('latin1').trimEnd()).toMatch(/%%EOF$/);
	});

	it('can link to another origin', async () => {
		const { service, get } = await serviceForTest({ filesApart: true });
		const [response] = service.store.responses(demoForms.contact);
		const { body } = await get(`/response/${response!.uuid}/pdf`);
		expect(new URL(body.data.pdf_url).origin).toBe(service.filesUrl);
		expect(service.filesUrl).not.toBe(service.url);
		expect((await fetch(body.data.pdf_url)).status).toBe(200);
		expect(service.visits.at(-1)).toMatchObject({ method: 'GET', status: 200 });
	});
});

describe('POST /forms/{id}/response', () => {
	const answerable = async () => {
		const started = await serviceForTest();
		const form = started.service.store.addForm({
			name: 'Form',
			fields: [
				{ label: 'Text' },
				{ label: 'Count', type: 'number' },
				{ label: 'File', type: 'file_upload' },
			],
		});
		const [text, count, file] = started.service.store.fields(form.id).map(({ uuid }) => uuid);
		const path = `/forms/${form.id}/response`;
		return { ...started, form, path, text: text!, count: count!, file: file! };
	};

	it('adds a complete response of strings and integers', async () => {
		const { service, post, form, path, text, count } = await answerable();
		const { status, body } = await post(path, { data: { [text]: 'Grüße 😀', [count]: 7 } });
		expect(status).toBe(200);
		const [stored] = service.store.responses(form.id);
		expect(body).toEqual({
			success: true,
			message: expect.any(String),
			data: { uuid: stored!.uuid },
		});
		expect(stored).toMatchObject({
			isIncomplete: false,
			answers: { [text]: 'Grüße 😀', [count]: 7 },
		});
	});

	it('takes the address of a file for a file field', async () => {
		const { service, post, form, path, file } = await answerable();
		await post(path, { data: { [file]: 'https://files.example/a/re%20port.pdf?v=2' } });
		expect(service.store.responses(form.id)[0]!.answers[file]).toEqual([
			're port.pdf|https://files.example/a/re%20port.pdf?v=2',
		]);
	});

	it.each(['/report.pdf', 'ftp://files.example/a', 5])(
		'refuses %j for a file field',
		async (value) => {
			const { post, path, file } = await answerable();
			expect((await post(path, { data: { [file]: value } })).status).toBe(400);
		},
	);

	it.each([[true], [null], [1.5], [['a']], [{ a: 1 }]])(
		'refuses %j, which is no string or integer',
		async (value) => {
			const { service, post, form, path, text } = await answerable();
			const { status, body } = await post(path, { data: { [text]: value } });
			expect(status).toBe(400);
			expect(body).toMatchObject({ success: false, message: expect.stringContaining(text) });
			expect(service.store.responses(form.id)).toEqual([]);
		},
	);

	it('refuses a key that is not the UUID of a field of this form', async () => {
		const { service, post, path } = await answerable();
		const [foreign] = service.store.fields(demoForms.contact);
		for (const key of [foreign!.uuid, 'Text']) {
			expect((await post(path, { data: { [key]: 'x' } })).status).toBe(400);
		}
	});

	it.each([[{}], [{ data: {} }], [{ data: [] }], [{ data: 'x' }], [[]]])(
		'refuses the body %j',
		async (body) => {
			const { post, path } = await answerable();
			expect((await post(path, body)).status).toBe(400);
		},
	);

	it('does not ask for mandatory answers, on which the specification is silent', async () => {
		const { service, post } = await serviceForTest();
		const field = service.store.fields(demoForms.contact).find(({ mandatory }) => !mandatory);
		const path = `/forms/${demoForms.contact}/response`;
		expect((await post(path, { data: { [field!.uuid]: 'x' } })).status).toBe(200);
	});

	it('refuses a response to a closed form with the closed message', async () => {
		const { service, post } = await serviceForTest();
		const [field] = service.store.fields(demoForms.event);
		const reply = await post(`/forms/${demoForms.event}/response`, {
			data: { [field!.uuid]: 'x' },
		});
		expect(reply).toMatchObject({
			status: 403,
			body: { message: 'Registration has closed. See you next year!' },
		});
	});
});
