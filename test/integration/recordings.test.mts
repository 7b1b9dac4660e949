import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { IDataObject, INodeParameters, ResourceMapperField } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mts';
import type { RecordedReply } from '../../scripts/probe/recording.mts';
import { locator, n8nFor, type N8n } from './harness.mts';
import { elsewhere } from './servers.mts';

/** What a recording has, counted by a person. */
type Expected = {
	form: string;
	forms: number;
	/** The titles of the fields, in the form's order. */
	fields: string[];
	/** `answers` counts those of all responses that are not empty. */
	responses: { total: number; incomplete: number; answers: number };
	/** The UUID of a response, and the link to its PDF. */
	newest: string;
	pdf: string;
};

const folder = join(root, 'test/recordings');

const readJson = <T,>(name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;

const names = globSync('*.expected.json', { cwd: folder }).map((file) =>
	basename(file, '.expected.json'),
);

let tokens = 0;

/** An n8n with an account of a service that gives the recorded replies, and 404 for anything else. */
async function serve(name: string): Promise<N8n> {
	const { replies } = readJson<{ replies: RecordedReply[] }>(`${name}.json`);
	const prefix = '/api/v1';
	const { url: origin } = await elsewhere(({ url = '', headers }, reply) => {
		const path = decodeURIComponent(url).replace(prefix, '');
		const found = replies.find((recorded) => decodeURIComponent(recorded.path) === path);
		// a link of the service leads to itself
		const recorded = JSON.stringify(found?.body ?? { success: false, message: 'Not recorded' });
		const body = recorded.replaceAll('https://example.com/api/', `http://${headers.host}/api/`);
		reply.writeHead(found?.status ?? 404, found?.headers ?? { 'content-type': 'application/json' });
		reply.end(body);
	});
	return n8nFor({ accessToken: `recorded-${++tokens}`, baseUrl: origin });
}

it('finds the recordings', () => {
	expect(names.length).toBeGreaterThanOrEqual(3);
});

describe.each(names)('The recording %s', (name) => {
	const expected = readJson<Expected>(`${name}.expected.json`);
	const formId = locator(expected.form);
	const { total, incomplete, answers } = expected.responses;

	async function run(resource: string, operation: string, parameters: INodeParameters = {}) {
		const n8n = await serve(name);
		const { items, error } = await n8n.runNode({ resource, operation, ...parameters });
		expect(error?.message).toBeUndefined();
		return items.map(({ json }) => json);
	}

	it('has a workspace', async () => {
		expect(await run('workspace', 'get')).toEqual([
			expect.objectContaining({ name: expect.any(String) }),
		]);
	});

	it('has forms with their fields', async () => {
		const forms = await run('form', 'getAll', { returnAll: true });
		expect(forms).toHaveLength(expected.forms);
		expect(forms.map(({ id }) => id)).toContain(expected.form);
		const [form] = await run('form', 'get', { formId });
		expect(form).toMatchObject({ id: expected.form, fields: expect.anything() });
	});

	it('has fields with labels that the editor shows', async () => {
		expect(await run('field', 'getAll', { formId, returnAll: true })).toHaveLength(
			expected.fields.length,
		);
		const { fields } = await (await serve(name)).getFormFields(expected.form);
		const titles = fields.map(({ displayName }: ResourceMapperField) => displayName);
		expect(titles).toEqual(expected.fields.map((title) => expect.stringContaining(title)));
	});

	it('has responses of which every answer belongs to a field', async () => {
		const options = { columns: true, nameAnswersBy: 'uuid' };
		const rows = await run('response', 'getAll', {
			formId,
			status: 'all',
			options,
			returnAll: true,
		});
		expect(rows).toHaveLength(total);
		expect(rows.filter((row) => row.response_is_incomplete === true)).toHaveLength(incomplete);
		const unread = rows.filter(
			(row) => row.response_other_answers !== undefined || row.response_answers_error,
		);
		expect(unread).toEqual([]);
		const given = rows.flatMap((row) =>
			Object.entries(row).filter(([key, value]) => !key.startsWith('response_') && !isBlank(value)),
		);
		expect(given).toHaveLength(answers);
	});

	it('has a response and the link to its PDF', async () => {
		const responseId = locator(expected.newest);
		const [response] = await run('response', 'get', { formId, responseId });
		expect(response.uuid).toBe(expected.newest);
		const [pdf] = await run('response', 'getPdf', { formId, responseId, download: false });
		expect(pdf).toMatchObject({ uuid: expected.newest, pdf_url: expected.pdf });
	});

	it('starts the trigger once for each complete response', async () => {
		const n8n = await serve(name);
		const events = ['responseCompleted'];
		const options = { emitExisting: 'all' };
		const { items } = await n8n.runPoll({ formId, events, simplify: true, options });
		const uuids = items?.map(({ json }) => (json as IDataObject).uuid) ?? [];
		expect(new Set(uuids).size).toBe(uuids.length);
		expect(uuids).toHaveLength(total - incomplete);
	});
});

const isBlank = (value: unknown) =>
	value === null || value === '' || (Array.isArray(value) && value.length === 0);
