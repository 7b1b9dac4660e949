import { describe, expect, it } from 'vitest';
import { demoForms, redirect, status, type Fault } from '../../service/index.mts';
import { inputFor, operationCases } from '../resources/operations.mts';
import { running } from '../world.mts';
import { locator, n8nFor } from '../harness.mts';
import { unreachablePlaces } from '../servers.mts';
import { tracesOf } from './traces.mts';

const accessToken = 'A-Token-That-Nobody-Else-May-See-4c1f';
const token = accessToken;
const places = await unreachablePlaces();
const getWorkspace = { resource: 'workspace', operation: 'get' };

const { service, n8n } = await running({ token });

/** A text that is too long to be shown as a whole. */
const longText = 'x'.repeat(285) + token;

/** The beginning of the token, since a text can be cut off within it, and as a URL has it in a host. */
const beginning = token.slice(0, 9);
const spellings = [beginning, beginning.toLowerCase()];

const expectNoTrace = (...values: unknown[]) => {
	for (const one of spellings) expect(tracesOf({ accessToken: one }, ...values)).toEqual([]);
};

// The table of faults looks for the token under every fault of the service: ../faults/faults.test.mts.
describe('the token', () => {
	it('would be found in a value, however deep it is', () => {
		const headers = { secret: accessToken };
		const cause = Object.assign(new Error('inner'), { config: { headers } });
		expect(tracesOf({ accessToken }, new Error('outer', { cause }))).toEqual([accessToken]);
	});

	it.each(places)('is in no error about $name, and not sent', async ({ baseUrl, asked }) => {
		const unreachable = n8nFor({ accessToken, baseUrl });
		const { run, error } = await unreachable.runNode(getWorkspace);
		expect(error).toBeDefined();
		const searched = await unreachable.searchForms().catch((reason: Error) => reason);
		expect(searched).toBeInstanceOf(Error);
		const tested = await unreachable.testCredential();
		expect(tested.status).toBe('Error');
		expectNoTrace(run, error, searched, tested);
		expect(asked).toEqual([]);
	});

	it.each<[string, Fault]>([
		['quotes it', status(422, `No: ${token}`, { name: [token] })],
		['is cut off within it', status(422, longText, { name: [longText] })],
		['redirects to an address with it', redirect(`https://${token}.example/${token}`)],
	])('is in no error about a reply that %s', async (_what, fault) => {
		service.faults.set({ fault });
		const { run, error } = await n8n.runNode(getWorkspace);
		expect(error).toBeDefined();
		expectNoTrace(run, error, await n8n.testCredential());
	});

	it.each(operationCases)('is not in what n8n stores of $name', async ({ parameters }) => {
		const { run, error } = await n8n.runNode(parameters, inputFor(service));
		expect(error).toBeUndefined();
		expectNoTrace(run);
	});
});

describe('a credential that cannot be used', () => {
	const baseUrl = 'https://forms.example.com';
	const INVALID = "'Access Token' is empty or contains a space, a line break or another";
	const NO_ADDRESS = "'Base URL' is not the address of a service";

	it.each([
		[{ accessToken: '', baseUrl }, INVALID],
		[{ accessToken: 'my token', baseUrl }, INVALID],
		[{ accessToken: 'token\r\nX-Injected: 1', baseUrl }, INVALID],
		[{ accessToken: 'tökén', baseUrl }, INVALID],
		[{ accessToken: 'token\u0000', baseUrl }, INVALID],
		[{ accessToken, baseUrl: '' }, NO_ADDRESS],
		[{ accessToken, baseUrl: 'ftp://forms.example.com' }, NO_ADDRESS],
		[{ accessToken, baseUrl: 'https://' }, NO_ADDRESS],
		[{ accessToken, baseUrl: 'https://a:b@forms.example.com' }, NO_ADDRESS],
		[{ accessToken, baseUrl: `${baseUrl}/?token=x` }, NO_ADDRESS],
		[{ accessToken, baseUrl: `${baseUrl}/#x` }, NO_ADDRESS],
	])('%j is an error in the node, the trigger, a list and the test', async (account, message) => {
		const unusable = n8nFor(account);
		const { error } = await unusable.runNode(getWorkspace);
		expect(error?.message).toContain(message);
		expect(error).toMatchObject({
			description: expect.stringMatching(/^Open the .* to correct it\.$/),
			failure: { cause: 'credential-invalid' },
		});
		await expect(unusable.searchForms()).rejects.toThrow(message);
		const formId = locator(demoForms.contact);
		await expect(unusable.runPoll({ formId })).rejects.toThrow(message);
		const tested = await unusable.testCredential();
		expect(tested).toMatchObject({ status: 'Error', message: expect.stringContaining(message) });
	});

	it('is not one that was pasted with blanks around it', async () => {
		const pasted = { accessToken: ` ${service.token}\n`, baseUrl: ` ${service.url}/ ` };
		expect(await n8nFor(pasted).testCredential()).toMatchObject({ status: 'OK' });
		expect((await n8nFor(pasted).runNode(getWorkspace)).error).toBeUndefined();
		expect(service.requests.map((one) => one.token)).toEqual([service.token, service.token]);
	});
});
