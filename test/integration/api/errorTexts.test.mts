import { readFileSync, writeFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, redirect, status, success } from '../../service/index.mts';
import type { Fault, FaultName, Service } from '../../service/index.mts';
import { n8nFor } from '../harness.mts';
import { ssrfProtection } from '../n8n/core.mts';
import { elsewhere, toAnyCertificate, unreachablePlaces, type Unreachable } from '../servers.mts';
import { createWorld } from '../world.mts';
import { faultCases, patience } from './faultCases.mts';
import { inputFor, operationNamed, type OperationCase } from '../resources/operations.mts';

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
	const { message, description } = (error ?? {}) as { [name in keyof Text]?: unknown };
	return { message: fixed(message), description: fixed(description) };
}

/** What a person reads of an operation at a service that is prepared so. */
async function textAt(
	name: string,
	prepare: (service: Service, match: OperationCase['match']) => void,
	more = {},
): Promise<Text> {
	const { parameters, match } = operationNamed(name);
	const { service, n8n } = await createWorld({ token: TOKEN });
	const input = inputFor(service).slice(1);
	prepare(service, match);
	const { error } = await n8n.runNode({ ...parameters, ...more }, input);
	expect(error, `${name} under this fault`).toBeDefined();
	return textOf(error, service.url);
}

const textUnder = async (name: string, fault: Fault | FaultName, more = {}) =>
	await textAt(name, ({ faults }, match) => faults.set({ fault, match }), more);

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
	['a status 304, for which nobody asked', json(304, '')],
	['a web page of another server', answer(404, 'text/html', '<html><title>x</title></html>')],
	['a long message on several lines', status(400, 'Try again\n\nlater. '.repeat(2_000))],
	['the token in texts', status(422, `Not with ${TOKEN}`, { name: [`Not with ${TOKEN}.`] })],
	['the token where texts are cut off', status(400, LONG + TOKEN, { a: [LONG + TOKEN] })],
	['names of system errors', status(403, 'deletePermission is missing (ECONNREFUSED)')],
	['a redirect to another page', redirect('https://elsewhere.example/', 301)],
	['a redirect that says not where', redirect('', 301)],
];

const files: Array<[string, number, OutgoingHttpHeaders?]> = [
	['a file that is gone', 404],
	['a file for which its host wants a login', 401],
	['a file that redirects to itself', 302, { location: '?' }],
];

async function textOfFile(code: number, headers: OutgoingHttpHeaders = {}): Promise<Text> {
	const { namedUrl } = await elsewhere((_request, reply) => reply.writeHead(code, headers).end());
	const fault = success({ pdf_url: `${namedUrl}/1.pdf` });
	const more = { requestOptions: toAnyCertificate, download: true };
	return await textUnder('Response: Get PDF', fault, more);
}

async function textOfPlace({ name, baseUrl, cause }: Unreachable): Promise<Text> {
	const n8n = n8nFor({ accessToken: `token for ${name}`.replaceAll(' ', '-'), baseUrl });
	const { error } = await n8n.runNode({ resource: 'workspace', operation: 'get' });
	expect(error).toMatchObject({ httpCode: null, failure: { cause } });
	return textOf(error, baseUrl);
}

async function textOfPrivateAddress(): Promise<Text> {
	const protect = () => void (ssrfProtection.enabled = true);
	return await textAt('Workspace: Get', protect).finally(() => {
		ssrfProtection.enabled = false;
	});
}

/** A case, and what a person reads of each operation that is tried with it. */
type Case = { name: string; texts: () => Promise<Array<readonly [who: string, text: Text]>> };

const caseOf = (name: string, who: string, text: () => Promise<Text>): Case => ({
	name,
	texts: async () => [[who, await text()]],
});

const chapters: Record<string, Case[]> = {
	'Replies of the service': faultCases.map((one) => {
		const isAboutNoun = one.httpCode === '403' || one.httpCode === '404';
		const tried = one.heavy ? EFFECTS.slice(0, 1) : [...EFFECTS, ...(isAboutNoun ? NOUNS : [])];
		const tryOne = async (who: string) =>
			[who, await textUnder(who, one.fault, patience(one))] as const;
		return { name: one.name, texts: async () => await Promise.all(tried.map(tryOne)) };
	}),
	'Odd replies': oddReplies.map(([name, fault]) =>
		caseOf(name, 'Response: Get Many', async () => await textUnder('Response: Get Many', fault)),
	),
	Connections: (await unreachablePlaces()).map((place) =>
		caseOf(place.name, 'Workspace: Get', async () => await textOfPlace(place)),
	),
	Files: files.map(([name, ...reply]) =>
		caseOf(name, 'Response: Get PDF', async () => await textOfFile(...reply)),
	),
	'In n8n itself': [
		caseOf(
			"a service on an address that n8n's SSRF protection does not allow",
			'Workspace: Get',
			textOfPrivateAddress,
		),
	],
};

const path = join(import.meta.dirname, 'errorTexts.md');
const written = readFileSync(path, 'utf8');
const TITLE = 'What a person reads when something goes wrong';

/** Each text as Markdown, with the cases and the operations that show it. */
const shown = new Map<string, Map<string, string[]>>();

function note(name: string, who: string, { message, description }: Text): string {
	const text = `> **${message}**\n>\n> ${description.replaceAll('\n', '\n>\n> ')}`;
	const cases = shown.get(text) ?? new Map<string, string[]>();
	cases.set(name, [...(cases.get(name) ?? []), who]);
	shown.set(text, cases);
	return text;
}

function render(): string {
	const parts = [...shown].map(([text, cases]) => {
		const lines = [...cases].map(([name, who]) => `- ${name} (${who.join(', ')})`);
		return `${text}\n\n${lines.join('\n')}`;
	});
	return [`# ${TITLE}`, ...parts].join('\n\n') + '\n';
}

describe.each(Object.entries(chapters))(`${TITLE}: %s`, (_, cases) => {
	it.each(cases)('$name', async ({ name, texts }) => {
		for (const [who, text] of await texts()) {
			const noted = note(name, who, text);
			if (process.env.WRITE_ERROR_TEXTS) continue;
			expect(written, 'If the new text is right, run npm run generate').toContain(noted);
		}
	});
});

it('errorTexts.md has each of these texts once, with its cases, and no other', () => {
	if (process.env.WRITE_ERROR_TEXTS) writeFileSync(path, render());
	else expect(render()).toBe(written);
});
