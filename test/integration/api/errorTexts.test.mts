import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { INodeParameters } from 'n8n-workflow';
import { answer, bodyOf, redirect, status, success } from '../../service/index.mts';
import type { Fault, Service } from '../../service/index.mts';
import { n8nFor } from '../harness.mts';
import { ssrfProtection } from '../n8n/core.mts';
import { unreachablePlaces, type Unreachable } from '../servers.mts';
import { createWorld } from '../world.mts';
import {
	inputFor,
	operationNamed,
	timesAdded,
	type OperationCase,
} from '../resources/operations.mts';
import { faultCases, type FaultCase } from './faultCases.mts';
import { tracesOf } from './traces.mts';

const LONG = 'Not\nnow. '.repeat(32);

const json = (code: number, body: unknown) =>
	answer(code, 'application/json', JSON.stringify(body));

/** What a person reads, with the address of the service and times as in every run. */
type Text = { message: string; description: string };

function textOf(error: Error | undefined, origin: string): Text {
	const fixed = (text: unknown) =>
		String(text)
			.replaceAll(origin, 'https://forms.example.com')
			.replace(/[A-Z][a-z]{2} \d+, \d{4}, \d\d:\d\d UTC/g, 'Nov 22, 2026, 00:31 UTC');
	const { message, description } = (error ?? {}) as { [name in keyof Text]?: unknown };
	return { message: fixed(message), description: fixed(description) };
}

/** Runs an operation at a service that is prepared so. Its error never gives the token away. */
async function failAt(
	{ parameters }: OperationCase,
	prepare: (service: Service) => void,
	more: INodeParameters = {},
) {
	const { service, n8n } = await createWorld();
	const input = inputFor(service).slice(1);
	prepare(service);
	const { items, run, error } = await n8n.runNode({ ...parameters, ...more }, input);
	expect(items).toEqual([]);
	expect(tracesOf({ accessToken: service.token }, run, error)).toEqual([]);
	return { service, error, text: textOf(error, service.url) };
}

/** Checks what a fault leads to: how often a request is sent, what the service did, and what n8n learns. */
async function textOfCase(name: string, { fault, ...expected }: FaultCase): Promise<Text> {
	const one = operationNamed(name);
	const { match, effect } = one;
	const { service, error, text } = await failAt(one, ({ faults }) => faults.set({ fault, match }));
	const { httpCode, cause, sent, added } = expected;
	const requests = service.requests.filter(
		({ method, path }) => method === match.method && match.path.test(path),
	);
	expect(requests).toHaveLength(sent[effect]);
	expect(timesAdded(service)).toBe(effect === 'once' ? added : 0);
	const context = { itemIndex: 0 };
	expect(error).toMatchObject({ name: 'NodeApiError', httpCode, failure: { cause }, context });
	return text;
}

/** One operation of each effect: what sending its request twice would do. */
const EFFECTS = ['Response: Get Many', 'Response: Create', 'Setting: Update'];

/** Operations whose requests are about something else than a form. */
const NOUNS = ['Form: Get Many', 'Response: Get PDF'];

const UNCONFIRMED = json(200, { message: 'Unauthenticated.' });

/** Replies that nobody expects, to Response: Get Many unless another operation is named. */
const oddReplies: Array<[name: string, fault: Fault | ((token: string) => Fault), who?: string]> = [
	['null', json(200, null)],
	['an object without a list', json(200, { success: true, result: { ok: 'yes' } })],
	['a list of texts', json(200, { success: true, data: ['a'] })],
	['success: false without a message', json(200, { success: false })],
	['a reply that confirms nothing', UNCONFIRMED, 'Response: Create'],
	['a reply that confirms nothing', UNCONFIRMED, 'Setting: Update'],
	['a success without the form', success({ id: 'AbC123' }), 'Setting: Update'],
	['a web page of another server', answer(404, 'text/html', '\n<html><title>x</title></html>')],
	['a web page that takes no such request', answer(405, 'text/html', '<html></html>')],
	['a link to a page with the token', (token) => success({ responses: [], next: `//${token}.a/` })],
	['the token in texts', (token) => status(422, `Not ${token}`, { name: [`Not ${token}.`] })],
	[
		'the token where texts are cut off',
		(token) => status(400, LONG + token, { a: [LONG + token] }),
	],
	['a redirect to an address with the token', (token) => redirect(`https://${token}.example/`)],
	['names of system errors', status(403, 'deletePermission is missing (ECONNREFUSED)')],
	['a redirect that says not where', redirect('', 301)],
	['a reply of 140 MB', bodyOf(140)],
];

async function textOfReply(who: string, fault: Fault | ((token: string) => Fault)): Promise<Text> {
	const one = operationNamed(who);
	const more = { requestOptions: { timeout: 600_000 } };
	const prepare = ({ faults, token }: Service) =>
		faults.set({ fault: typeof fault === 'function' ? fault(token) : fault, match: one.match });
	return (await failAt(one, prepare, more)).text;
}

async function textOfPlace({ name, baseUrl, cause, asked }: Unreachable): Promise<Text> {
	const accessToken = `token-for-${name}`.replaceAll(' ', '-');
	const n8n = n8nFor({ accessToken, baseUrl });
	const { run, error } = await n8n.runNode({ resource: 'workspace', operation: 'get' });
	expect(error).toMatchObject({ httpCode: null, failure: { cause } });
	expect(tracesOf({ accessToken }, run, error)).toEqual([]);
	expect(asked).toEqual([]);
	return textOf(error, baseUrl);
}

const PROTECTED = "a service on an address that n8n's SSRF protection does not allow";

async function textOfPrivateAddress(): Promise<Text> {
	const protect = () => void (ssrfProtection.enabled = true);
	const failed = await failAt(operationNamed('Workspace: Get'), protect).finally(() => {
		ssrfProtection.enabled = false;
	});
	return failed.text;
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
		const tried = [...EFFECTS, ...(isAboutNoun ? NOUNS : [])];
		const tryOne = async (who: string) => [who, await textOfCase(who, one)] as const;
		return { name: one.name, texts: async () => await Promise.all(tried.map(tryOne)) };
	}),
	'Odd replies': oddReplies.map(([name, fault, who = 'Response: Get Many']) =>
		caseOf(name, who, async () => await textOfReply(who, fault)),
	),
	Connections: [
		...(await unreachablePlaces()).map((place) =>
			caseOf(place.name, 'Workspace: Get', async () => await textOfPlace(place)),
		),
		caseOf(PROTECTED, 'Workspace: Get', textOfPrivateAddress),
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
