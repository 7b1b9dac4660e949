import { describe, expect, it } from 'vitest';
import {
	answer,
	redirect,
	status,
	tooMany,
	type Fault,
	type FaultName,
	type Service,
} from '../../service/index.mts';
import { locator, n8nFor, type N8n } from '../harness.mts';
import { ssrfProtection } from '../n8n/core.mts';
import { elsewhere, toAnyCertificate, unreachablePlaces } from '../servers.mts';
import { withWorld } from '../world.mts';
import { faultCases, patience } from './faultCases.mts';
import { inputFor, operationNamed } from '../tables/operations.mts';

const TOKEN = 'a-token-that-the-service-may-repeat';
const LONG = 'Not now. '.repeat(32);

const json = (code: number, body: unknown) =>
	answer(code, 'application/json', JSON.stringify(body));

/** What a person reads, with the address of the service and times as in every run. */
type Text = { message: string; description: string };

function textOf(error: Error | undefined, origin: string): Text {
	const fixed = (text: unknown) =>
		String(text)
			.replaceAll(origin, 'https://forms.example.com')
			.replace(/(127\.0\.0\.1|files\.private\.example):\d+/g, 'host:port')
			.replace(/[A-Z][a-z]{2} \d+, \d{4}, \d\d:\d\d UTC/g, 'Nov 22, 2026, 00:31 UTC');
	return {
		message: fixed(error?.message),
		description: fixed((error as { description?: unknown } | undefined)?.description),
	};
}

/** What a person reads when an operation meets a fault that lasts. */
async function textUnder(name: string, fault: Fault | FaultName, more = {}): Promise<Text> {
	const { parameters, match } = operationNamed(name);
	return await withWorld(
		async ({ service, n8n }) => {
			const input = inputFor(service).slice(1);
			service.faults.set({ fault, match });
			const { error } = await n8n.runNode({ ...parameters, ...more }, input);
			expect(error, `${name} under this fault`).toBeDefined();
			return textOf(error, service.url);
		},
		{ token: TOKEN },
	);
}

/** One operation of each effect: what sending its request twice would do. */
const EFFECTS = ['Response: Get Many', 'Response: Create', 'Setting: Update'];

/** Operations whose requests are about something else than a form. */
const NOUNS = ['Form: Get Many', 'Response: Get PDF'];

/** Replies to Response: Get Many that nobody expects. */
const oddReplies: Array<[string, Fault]> = [
	['null', json(200, null)],
	['a text', json(200, 'fine')],
	['an empty object', json(200, {})],
	['an object without a list', json(200, { success: true, result: { ok: 'yes' } })],
	['a list of texts', json(200, { success: true, data: ['a'] })],
	['success: false without a message', json(200, { success: false })],
	['success: 0', json(200, { success: 0, message: 'No.' })],
	['a message that is no text', json(200, { success: false, message: { deep: 1 } })],
	['an unknown 4xx status', json(418, { success: false })],
	['an unknown 5xx status', json(599, {})],
	['a status 304, for which nobody asked', json(304, '')],
	['a web page of another server', answer(404, 'text/html', '<html><title>x</title></html>')],
	['a long message on several lines', status(400, 'Try again\n\nlater. '.repeat(2_000))],
	['the token in texts', status(422, `Not with ${TOKEN}`, { name: [`Not with ${TOKEN}.`] })],
	['the token where texts are cut off', status(400, LONG + TOKEN, { a: [LONG + TOKEN] })],
	['names of system errors', status(403, 'deletePermission is missing (ECONNREFUSED)')],
	['a redirect to another page', redirect('https://elsewhere.example/', 301)],
	['a redirect to the same page', redirect('', 301)],
	['a redirect that says not where', status(301, '')],
	['a limit of the day of its own', tooMany(2_000, 7_200, { message: 'No.' })],
];

/** What a person reads of a PDF that another host has. */
async function textOfFile(reply: Parameters<typeof elsewhere>[0]): Promise<Text> {
	const { namedUrl } = await elsewhere(reply);
	const requestOptions = toAnyCertificate;
	return await withWorld(async ({ service, n8n }) => {
		const { parameters, match } = operationNamed('Response: Get PDF');
		const body = JSON.stringify({ success: true, data: { pdf_url: `${namedUrl}/1.pdf` } });
		const input = inputFor(service).slice(1);
		service.faults.set({ fault: answer(200, 'application/json', body), match });
		const { error } = await n8n.runNode({ ...parameters, requestOptions, download: true }, input);
		return textOf(error, service.url);
	});
}

const files: Array<[string, Parameters<typeof elsewhere>[0]]> = [
	['a file that is gone', (_request, reply) => reply.writeHead(404).end()],
	['a file for which its host wants a login', (_request, reply) => reply.writeHead(401).end()],
	[
		'a file that leads to a page to log in',
		(_request, reply) => reply.writeHead(302, { location: '/login' }).end(),
	],
	[
		'a file that redirects to itself',
		(_request, reply) => reply.writeHead(302, { location: '?' }).end(),
	],
];

/** What a person reads of a node that cannot do its work, though the service would. */
const refusedHere: Array<[string, (service: Service, n8n: N8n) => Promise<Text>]> = [
	[
		"a service on an address that n8n's SSRF protection does not allow",
		async ({ url }, n8n) => {
			ssrfProtection.enabled = true;
			const { error } = await n8n.runNode({ resource: 'workspace', operation: 'get' });
			ssrfProtection.enabled = false;
			return textOf(error, url);
		},
	],
	[
		'a response to a form that is closed',
		async ({ url, store }, n8n) => {
			const { id } = store.addForm({ name: 'Old', fields: [{ label: 'Name' }] });
			store.editSettings(id, { is_closed: true, closed_message: 'Registration has closed.' });
			const { error } = await n8n.runNode({
				resource: 'response',
				operation: 'create',
				formId: locator(id),
				inputMode: 'json',
				answersJson: { [store.fields(id)[0].uuid]: 'Ada' },
			});
			return textOf(error, url);
		},
	],
];

function listOf(texts: ReadonlyArray<readonly [who: string, text: Text]>): string {
	const byText = new Map<string, string[]>();
	for (const [who, { message, description }] of texts) {
		const text = `> **${message}**\n>\n> ${description.replaceAll('\n', '\n>\n> ')}\n`;
		byText.set(text, [...(byText.get(text) ?? []), who]);
	}
	return [...byText].map(([text, who]) => `${who.join(', ')}:\n\n${text}`).join('\n');
}

describe('what a person reads when something goes wrong', () => {
	it('is written down in errorTexts.md', async () => {
		const parts = ['# What a person reads when something goes wrong\n'];
		parts.push('## Replies of the service\n');
		for (const one of faultCases) {
			const { name, fault, heavy } = one;
			const isAboutNoun = one.httpCode === '403' || one.httpCode === '404';
			const tried = heavy ? EFFECTS.slice(0, 1) : [...EFFECTS, ...(isAboutNoun ? NOUNS : [])];
			const texts = tried.map(
				async (who) => [who, await textUnder(who, fault, patience(one))] as const,
			);
			parts.push(`### ${name}\n`, listOf(await Promise.all(texts)));
		}
		parts.push('## Odd replies to Response: Get Many\n');
		for (const [name, fault] of oddReplies) {
			parts.push(listOf([[name, await textUnder('Response: Get Many', fault)]]));
		}
		parts.push('## Connections\n');
		for (const { name, baseUrl, cause } of await unreachablePlaces()) {
			const n8n = n8nFor({ accessToken: `token for ${name}`.replaceAll(' ', '-'), baseUrl });
			const { error } = await n8n.runNode({ resource: 'workspace', operation: 'get' });
			expect(error).toMatchObject({ httpCode: null, failure: { cause } });
			parts.push(listOf([[name, textOf(error, baseUrl)]]));
		}
		parts.push('## Files\n');
		for (const [name, reply] of files) parts.push(listOf([[name, await textOfFile(reply)]]));
		parts.push('## In n8n itself\n');
		for (const [name, text] of refusedHere) {
			const shown = await withWorld(async ({ service, n8n }) => await text(service, n8n));
			parts.push(listOf([[name, shown]]));
		}
		await expect(parts.join('\n')).toMatchFileSnapshot(
			'errorTexts.md',
			'If the new texts are right, run npm run generate',
		);
	});
});
