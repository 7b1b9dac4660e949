import type { RequestListener } from 'node:http';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { connect } from '../../../scripts/probe/connect.mts';
import { probe } from '../../../scripts/probe/probe.mts';
import { renderText } from '../../../scripts/probe/report.mts';
// a service that says to wait is waited for in virtual time
import '../n8n/package.mts';
import { elsewhere } from '../servers.mts';

/* The service sends whatever it likes. All its texts, names and numbers have what must never be printed. */

const PLANTED = /zq|7777777/i;
const ID = 'abc123';
const UUID = '0b0e6a52-3f0c-4b7e-9a55-1d2c3b4a5f60';

const text = fc.constantFrom(
	...['zq', 'Zq Zq', 'zq@zq.example', '+7777777', 'file_zq', 'zq-upload', 'attachmentZq'],
	...['https://zq.example/zq?page=zq', '//zq.example/zq', 'zq"zq"', 'zq: zq (zq)', 'zq\nzq'],
	...[
		'/responses/zq',
		'{zq}',
		'__proto__zq',
		'<b>zq</b>',
		'x?cursor=zq',
		'zq.txt|https://zq.example/z',
	],
);
const known = `id uuid name label type options custom_key responses answers data key value response
	created_at number is_incomplete fields success message error errors title links meta next total
	next_page_url current_page last_page per_page next_cursor has_more pdf_url url`.split(/\s+/);
const name = fc.oneof(fc.constantFrom(...known), text);
const leaf = fc.oneof(text, fc.constantFrom(7_777_777, 1, 2.5, true, false, null, '', ID, UUID));

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 3 },
		{ arbitrary: leaf, weight: 3 },
		fc.array(tie('value'), { maxLength: 3 }),
		fc.dictionary(name, tie('value'), { maxKeys: 4 }),
	),
}));
const attributes = fc.dictionary(name, value, { maxKeys: 4 });

const answers = fc.oneof(
	value,
	fc.dictionary(text, leaf, { maxKeys: 3 }),
	fc.array(fc.record({ key: text, value: leaf }), { maxLength: 3 }),
	fc.array(fc.record({ label: text, response: leaf, uuid: leaf, custom_key: text }), {
		maxLength: 3,
	}),
);
/** A record that is read, with attributes that nobody expects. */
const record = fc
	.tuple(attributes, fc.record({ type: text, label: text, responses: answers }))
	.map(([others, own]) => ({ id: ID, uuid: UUID, ...own, ...others }));
const list = fc
	.tuple(attributes, fc.array(fc.oneof(record, attributes), { maxLength: 3 }))
	.map(([around, data]) => ({ ...around, success: true, data }));
const body = fc.oneof({ arbitrary: list, weight: 5 }, value, attributes);

const headerValue = text.filter((one) => !one.includes('\n'));
const headers = fc.dictionary(
	fc.constantFrom('x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after', 'link', 'x-zq'),
	fc.oneof(headerValue, fc.constant('7777777'), fc.constant('<?page=2&zq=zq>; rel="next"')),
);
const reply = fc.record({
	status: fc.oneof(
		{ arbitrary: fc.constant(200), weight: 6 },
		fc.constantFrom(302, 400, 401, 403, 404, 422, 429, 500, 503),
	),
	type: fc.constantFrom(
		'application/json',
		'application/json',
		'application/json',
		'text/html',
		'zq',
	),
	headers,
	location: headerValue,
	text: fc.oneof({ arbitrary: body.map((one) => JSON.stringify(one)), weight: 9 }, text),
});
const PATHS = [/workspace$/, /forms$/, /^\/zq\/api\/v1\/responses/, /fields$/, /pdf$/];

let listener: RequestListener = () => {};
const { url } = await elsewhere((request, response) => listener(request, response));
const base = url.replace('127.0.0.1', 'zq.private.example');
let probes = 0;

it('prints nothing of what a hostile service sends', async () => {
	const sections = new Set<string>();
	const property = fc.asyncProperty(fc.tuple(...PATHS.map(() => reply)), async (replies) => {
		listener = ({ url: path = '' }, response) => {
			const index = PATHS.findIndex((one) => one.test(path.split('?')[0]));
			const { status, type, text: sent, location, headers: own } = replies[index];
			response.writeHead(status, { ...own, 'content-type': type, location }).end(sent);
		};
		const account = { accessToken: `zq-${(probes += 1)}`, baseUrl: `${base}/zq` };
		const report = await probe(connect(account));
		for (const title of Object.keys(report.sections)) sections.add(title);
		expect(renderText(report)).not.toMatch(PLANTED);
		expect(JSON.stringify(report)).not.toMatch(PLANTED);
	});
	await fc.assert(property, { numRuns: 300 });
	// the service was read as far as it goes, or nothing was proved
	expect([...sections]).toEqual(expect.arrayContaining(['Answers', 'Types of fields']));
});
