/** Replays recordings of real replies, and compares all that the nodes make of them with a file beside each. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mts';
import type { RecordedReply } from '../../scripts/probe/recording.mts';
import { locator, n8nFor } from './harness.mts';
import { elsewhere } from './servers.mts';

/** The address of the recorded service. */
const RECORDED_ORIGIN = 'https://example.com';
const PREFIX = '/api/v1';

const folder = join(root, 'test/recordings');
const files = globSync('*.json', { cwd: folder }).filter((name) => !name.includes('.expected.'));

it.each(files)('The recording %s is read as its file of expected output says', async (file) => {
	const text = readFileSync(join(folder, file), 'utf8');
	const { replies } = JSON.parse(text) as { replies: RecordedReply[] };
	/** The paths of requests that are not recorded. */
	const missing: string[] = [];
	const { url: origin } = await elsewhere(({ url = '', headers: { host } }, reply) => {
		const path = url.replace(PREFIX, '');
		const recorded = replies.find((one) => one.path === path);
		if (recorded === undefined) missing.push(path);
		const { status = 404, headers = {}, body = {} } = recorded ?? {};
		reply.writeHead(status, headers);
		reply.end(JSON.stringify(body).replaceAll(RECORDED_ORIGIN, `http://${host}`));
	});
	const n8n = n8nFor({ accessToken: `recorded-${origin}`, baseUrl: `${origin}${PREFIX}` });
	const formId = locator(/"\/forms\/([^/]+)\/fields"/.exec(text)![1]);
	const responseId = locator(/"\/response\/([^/]+)\/pdf"/.exec(text)![1]);
	const run = async (resource: string, operation: string, parameters: INodeParameters = {}) => {
		const { items, error } = await n8n.runNode({ resource, operation, ...parameters });
		return error?.message ?? items.map(({ json }) => json);
	};
	const all = { formId, returnAll: true };
	const listed = { ...all, status: 'all' };
	const polled = await n8n.runPoll({
		...{ formId, events: ['responseCompleted'], simplify: true },
		options: { emitExistingSince: '2000-01-01' },
	});
	const { fields } = await n8n.getFormFields(formId.value as string);
	const output = {
		workspace: await run('workspace', 'get', { simplify: true }),
		forms: await run('form', 'getAll', { returnAll: true, simplify: true }),
		fields: await run('field', 'getAll', all),
		mapper: fields.map(({ displayName }) => displayName),
		responses: await run('response', 'getAll', { ...listed, simplify: true }),
		columns: await run('response', 'getAll', { ...listed, options: { columns: true } }),
		pdf: await run('response', 'getPdf', { formId, responseId, download: false }),
		trigger: polled.items?.map(({ json }) => json),
	};
	// with recorded requests alone
	expect(missing).toEqual([]);
	const written = JSON.stringify(output, null, '\t').replaceAll(origin, RECORDED_ORIGIN);
	const expected = join(folder, file.replace('.json', '.expected.json'));
	await expect(`${written}\n`).toMatchFileSnapshot(expected);
});
