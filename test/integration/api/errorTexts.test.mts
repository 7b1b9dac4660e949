import { inspect } from 'node:util';
import { groupBy, map } from 'lodash';
import { jsonStringify, type IDataObject } from 'n8n-workflow';
import { expect, it, onTestFinished } from 'vitest';
import {
	rawReply,
	largeList,
	redirect,
	status,
	success,
	tooMany,
	unavailable,
} from '../../service/index.mts';
import type { Fault, FaultName, Service } from '../../service/index.mts';
import { n8nFor } from '../harness.mts';
import { ssrfProtection } from '../n8n/core.mts';
import { elsewhere } from '../servers.mts';
import { createWorld } from '../world.mts';
import {
	inputFor,
	operationNamed,
	timesAdded,
	type OperationCase,
} from '../resources/operations.mts';

/** How often a reading or an update is sent while a fault lasts, how often a response, and how often it is added. */
type Outcome = readonly [sent: number, responsesSent: number, added: 0 | 1];

const rejected: Outcome = [1, 1, 0];
/** Refused by the limiter, so that nothing was done. */
const minuteUsedUp: Outcome = [10, 10, 0];
/** The trouble can pass, and the response may have been added. */
const failed: Outcome = [4, 1, 0];
const failedLate: Outcome = [4, 1, 1];

const toElsewhere = redirect('https://elsewhere.example/api/v1/forms', 307);

const nextWith = (token: string) => success({ responses: [], [`next ${token}`]: 1 });

const longWith = (token: string) => {
	const text = 'Not\nnow. '.repeat(32) + token;
	return status(400, text, { a: [text] });
};

/** One operation of each effect: what sending its request twice would do. */
const EFFECTS = ['Response: Get Many', 'Response: Create', 'Setting: Update'];
/** With operations whose requests are about something else than a form. */
const NOUNS = [...EFFECTS, 'Form: Get Many', 'Response: Get PDF'];
const READING = ['Response: Get Many'];

type FaultCase = [
	name: string,
	fault: FaultName | Fault | ((token: string) => Fault),
	/** The status of the reply that settled it; null where none came. */
	httpCode: string | null,
	outcome: Outcome,
	who?: string[],
];

const faultCases: FaultCase[] = [
	['status 400', 'badRequest', '400', rejected],
	['status 401', 'unauthorized', '401', rejected],
	['status 403', 'forbidden', '403', rejected, NOUNS],
	['status 404', 'notFound', '404', rejected, NOUNS],
	['status 408', status(408, 'Request Timeout'), '408', failed],
	['status 422 with messages on fields', 'unprocessable', '422', rejected],
	['status 429 of the minute', tooMany(30, 1), '429', minuteUsedUp],
	['status 429 of the day', 'tooManyDay', '429', rejected],
	['status 500', 'serverError', '500', failed],
	['status 502', 'badGateway', '502', failed],
	['status 502 after the service acted', 'gatewayAfter', '502', failedLate],
	['status 503', 'unavailable', '503', failed],
	['status 503 that asks to wait for ten minutes', unavailable(600), '503', rejected],
	['a reset before the service acted', 'dropBefore', null, failed],
	['a reset after the service acted', 'dropAfter', null, failedLate],
	['a body that is cut', 'cutBody', null, failedLate],
	['no reply, the service not acting', 'silentBefore', null, failed],
	['no reply, the service acting', 'silentAfter', null, failedLate],
	['a web page with 200', 'webPage', '200', rejected],
	['JSON that ends too early', 'malformedJson', '200', failed],
	['an empty body', 'emptyBody', '200', failedLate],
	['success: false with 200', 'failureWith200', '200', rejected],
	['a redirect to another host', toElsewhere, '307', rejected],
	// replies that nobody expects
	['a web page of another server', rawReply(404, 'text/html', '<p>'), '404', rejected, READING],
	['an attribute about pages with the token', nextWith, null, rejected, READING],
	['the token where texts are cut off', longWith, '400', rejected, READING],
	['names of system errors', status(403, 'deletePermission (EPERM)'), '403', rejected, READING],
	['a reply of 140 MB', largeList(140), '200', rejected, READING],
];

const EVERYTHING = {
	...{ depth: Infinity, showHidden: true, getters: true },
	...{ maxStringLength: Infinity, maxArrayLength: Infinity },
};

/** What gives a token away in values, as n8n stores them, and in all that hangs on them. */
function tracesOf(token: string, ...values: unknown[]): string[] {
	const text = jsonStringify(values, { replaceCircularRefs: true }) + inspect(values, EVERYTHING);
	const encoded = Buffer.from(token).toString('base64');
	return [token, encoded, 'Bearer', 'uthorization'].filter((trace) => text.includes(trace));
}

/** What a person reads, as Markdown, with the address of the service and times as in every run. */
function textOf(error: (Error & IDataObject) | undefined, origin: string): string {
	const { message, description } = error ?? expect.unreachable();
	return `> **${message}**\n>\n> ${String(description).replaceAll('\n', '\n>\n> ')}`
		.replaceAll(origin, 'https://forms.example.com')
		.replace(/[A-Z][a-z]{2} \d+, \d{4}, \d\d:\d\d UTC/g, 'Nov 22, 2026, 00:31 UTC');
}

/** Runs an operation at a service that is prepared so. Its error never gives the token away. */
async function failAt({ parameters }: OperationCase, prepare: (service: Service) => void) {
	const { service, n8n } = await createWorld();
	const input = inputFor(service).slice(1);
	prepare(service);
	const given = { ...parameters, requestOptions: { timeout: 1e12 } };
	const { items, run, error } = await n8n.runNode(given, input);
	expect(items).toEqual([]);
	expect(tracesOf(service.token, run, error)).toEqual([]);
	expect(jsonStringify(run, { replaceCircularRefs: true })).not.toContain('mayHaveActed');
	return { service, error, text: textOf(error, service.url) };
}

/** Checks what a fault leads to: how often a request is sent, and what the service did. */
async function textOfCase(who: string, [, fault, httpCode, outcome]: FaultCase): Promise<string> {
	const operation = operationNamed(who);
	const { match, effect } = operation;
	const { service, error, text } = await failAt(operation, ({ faults, token }) => {
		faults.set({ fault: typeof fault === 'function' ? fault(token) : fault, match });
	});
	const [sent, responsesSent, added] = outcome;
	const isMatch = ({ method, path }: { method: string; path: string }) =>
		method === match.method && match.path.test(path);
	const requests = service.requests.filter(isMatch);
	const isAdding = effect === 'nonIdempotent';
	expect(requests).toHaveLength(isAdding ? responsesSent : sent);
	expect(timesAdded(service)).toBe(isAdding ? added : 0);
	expect(error).toMatchObject({ name: 'NodeApiError', httpCode, context: { itemIndex: 0 } });
	return text;
}

const { url, namedUrl, visits } = await elsewhere();

/** The Base URLs of places where no service can be reached. */
const unreachable = {
	// the port is of a protocol that nobody uses any more (RFC 1078)
	'a refused connection': 'http://127.0.0.1:1',
	'a host name that does not exist': 'https://forms.invalid',
	'a certificate that nobody vouches for': namedUrl,
	'a service that speaks no https': url.replace('http:', 'https:'),
};

async function textOfPlace(baseUrl: string): Promise<string> {
	const n8n = n8nFor({ accessToken: 'secret-token', baseUrl });
	const { run, error } = await n8n.runNode({ resource: 'workspace', operation: 'get' });
	expect(error).toMatchObject({ httpCode: null });
	expect(tracesOf('secret-token', run, error)).toEqual([]);
	expect(visits).toEqual([]);
	return textOf(error, baseUrl);
}

async function textOfPrivateAddress(): Promise<string> {
	onTestFinished(() => void (ssrfProtection.enabled = false));
	const protect = () => void (ssrfProtection.enabled = true);
	return (await failAt(operationNamed('Workspace: Get'), protect)).text;
}

/** What goes wrong, with which operation, and how to get what a person reads of it. */
type Case = [name: string, who: string, getText: () => Promise<string>];

const cases: Case[] = [
	...faultCases.flatMap((one) => {
		const [name, , , , tried = EFFECTS] = one;
		return tried.map((who): Case => [name, who, async () => await textOfCase(who, one)]);
	}),
	...Object.entries(unreachable).map(
		([name, place]): Case => [name, 'Workspace: Get', async () => await textOfPlace(place)],
	),
	["an address that n8n's SSRF protection does not allow", 'Workspace: Get', textOfPrivateAddress],
];

const TITLE = 'What a person reads when something goes wrong';

const shown: Array<{ text: string; name: string; who: string }> = [];

it.each(cases)(`${TITLE}: %s, %s`, async (name, who, getText) => {
	shown.push({ text: await getText(), name, who });
});

it('errorTexts.md has each of these texts once, with its cases; npm run generate writes it', async () => {
	const parts = Object.entries(groupBy(shown, 'text')).map(([text, withText]) => {
		const byName = Object.entries(groupBy(withText, 'name'));
		const lines = byName.map(([name, ofCase]) => `- ${name} (${map(ofCase, 'who').join(', ')})`);
		return `${text}\n\n${lines.join('\n')}`;
	});
	await expect(`${[`# ${TITLE}`, ...parts].join('\n\n')}\n`).toMatchFileSnapshot('errorTexts.md');
});
