import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer, DEMO_TOKEN, demoForms, status, type Fault } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { faultCases } from './faultCases.mts';
import { withWorld } from '../world.mts';

/** What a person reads when a listing meets a fault. */
async function shownUnder(fault: Fault): Promise<Error & IDataObject & { origin: string }> {
	return await withWorld(async ({ service, n8n }) => {
		service.faults.set({ fault });
		const { error } = await n8n.runNode({
			resource: 'response',
			operation: 'getAll',
			formId: locator(demoForms.contact),
		});
		return Object.assign(error!, { origin: service.url });
	});
}

const json = (code: number, body: unknown) =>
	answer(code, 'application/json', JSON.stringify(body), 'JSON');

const place = {
	origin: 'https://forms.example.com',
	baseUrl: 'https://forms.example.com/api/v1',
	effect: 'read',
} as const;

describe('the words of an error', () => {
	const texts = faultCases.flatMap((fault) =>
		(['form', 'response', 'address'] as const).flatMap((noun) =>
			[fault.words, fault.unsure]
				.map((words) => words?.({ ...place, noun }))
				.filter((words) => words !== undefined)
				.map((words) => ({ fault: fault.name, ...words })),
		),
	);

	it.each(texts)('are plain: $message', ({ message, description }) => {
		// what the service itself says is not ours to word
		const own = `${message}. ${description}`.replace(/"[^"]*"/g, '');
		expect(own).not.toMatch(/\b(error|fail(ed|ure|s)?|problem|invalid|exception|oops|sorry)\b/i);
		expect(own).not.toMatch(/undefined|null|NaN|\[object|\bE[A-Z]{5,}\b|payload|endpoint|envelope/);
	});

	it.each(texts)('say what happened, then what to do: $message', ({ message, description }) => {
		expect(message).toMatch(/^[A-Z].*[^.]$/);
		expect(description).toMatch(/^[A-Z].*\.$/s);
		expect(description).toMatch(
			/\b([Cc]heck|Try|Open|Enter|Look|Ask|Run|Let|[Uu]se|must be|messages? on)\b/,
		);
	});
});

describe("the service's own message", () => {
	it('is quoted, with every name that n8n would put a text of its own in place of', async () => {
		const said = 'The key deletePermission is missing (ECONNREFUSED, ENOTFOUND)';
		const { message } = await shownUnder(status(403, said));
		expect(message).toBe(`The service does not allow this (status 403): "${said}"`);
	});

	it('is shortened where it is a novel, and put on one line', async () => {
		const { message } = await shownUnder(status(400, 'All\n\nwork '.repeat(2_000)));
		expect(message.length).toBeLessThan(400);
		expect(message).toMatch(/^The service refused the request \(status 400\): "All work All .*…"$/);
	});

	it('is shown without the token, should the service repeat it', async () => {
		const error = await shownUnder(
			status(422, `The token ${DEMO_TOKEN} is not for this`, {
				name: [`Not with ${DEMO_TOKEN}.`],
			}),
		);
		expect(error.message).toContain('"The token [access token] is not for this"');
		expect(error.description).toBe('name: Not with [access token].');
	});

	it('is shown without the token also where it is cut off within it', async () => {
		const error = await shownUnder(status(400, `${'x'.repeat(290)}${DEMO_TOKEN}`));
		expect(error.message).not.toContain(DEMO_TOKEN.slice(0, 8));
	});

	it.each([
		[{ success: false }, 'The service reported that it did not do this'],
		[{ success: false, message: '' }, 'The service reported that it did not do this'],
		[{ success: false, message: { deep: 1 } }, 'The service reported that it did not do this'],
		[{ success: 0, message: 'No.' }, 'The service reported that it did not do this: "No."'],
	])('may be missing or no text: %j', async (body, message) => {
		expect((await shownUnder(json(200, body))).message).toBe(message);
	});
});

describe('a reply that nobody expects', () => {
	it.each([
		[json(200, null), 'The service sent no list, but null'],
		[json(200, 'fine'), 'The service sent no list, but a string'],
		[json(200, 42), 'The service sent no list, but a number'],
		[json(200, {}), 'The service sent no list, but an object with nothing in it'],
		[
			json(200, { success: true, result: { ok: 'yes' } }),
			'The service sent no list, but an object with "success", "result"',
		],
		[
			json(200, { success: true, data: ['a'] }),
			'The service sent a list that holds something else than records',
		],
		[json(418, { success: false }), 'The service refused the request (status 418)'],
		[json(304, ''), /sends the request somewhere else without saying where$/],
		[json(599, {}), 'The service could not answer (status 599)'],
	])('is told apart: %#', async (fault, message) => {
		const error = await shownUnder(fault);
		if (typeof message === 'string') expect(error.message).toBe(message);
		else expect(error.message).toMatch(message);
		expect(error.description).toMatch(/\w/);
	});

	it('of another server says that there is no Form Service', async () => {
		const { message, description, origin } = await shownUnder(
			answer(404, 'text/html', '<html><title>nginx</title></html>'),
		);
		expect(message).toBe(
			`There is no Form Service at ${origin}/api/v1: a web page came back (status 404)`,
		);
		expect(description).toBe('Check the Base URL in the Form Service credential.');
	});
});
