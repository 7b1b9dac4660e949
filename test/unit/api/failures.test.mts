import { describe, expect, it } from 'vitest';
import { createAccount } from '../../../nodes/FormService/api/account.ts';
import { InputError } from '../../../nodes/FormService/api/errors.ts';
import { cutAtCharacter } from '../../../nodes/FormService/api/text.ts';
import {
	createFailure,
	describeFailure,
	type FailureReason,
	formatTime,
	REASONS,
	type RequestFailure,
} from '../../../nodes/FormService/api/failures.ts';
import {
	createRequestError,
	type RequestContext,
} from '../../../nodes/FormService/api/requestContext.ts';

const account = createAccount({ accessToken: 'token-1', baseUrl: 'https://forms.example.com' });
const context = { account, n8n: { getNode: () => ({}) } } as unknown as RequestContext;
const reasons = Object.keys(REASONS) as FailureReason[];

/** The facts that the callers give for the names in braces. */
const facts: Partial<RequestFailure> = {
	status: 500,
	retryAtMs: 0,
	noun: 'form',
	detail: 'the detail',
	lastFailure: createFailure('timedOut'),
};

describe('The texts of a failure', () => {
	it.each(reasons)('have all facts for the reason %s, and say what to do', (reason) => {
		const { message, description } = describeFailure(createFailure(reason, facts), account);
		expect(message + description).not.toMatch(/[{}]|unknown|undefined/);
		expect(description).toMatch(/[.)]$/);
	});

	it('have no detail in the message if the service may have acted, because n8n replaces codes', () => {
		const uncertain: FailureReason[] = [
			...(['insecure', 'timedOut', 'connectionBroken', 'wrongAddress', 'webPage'] as const),
			...(['serverError', 'unconfirmed', 'replyTooLarge'] as const),
		];
		for (const reason of uncertain) {
			const given = { ...facts, detail: 'ECONNRESET', serverMessage: 'EPERM', mayHaveActed: true };
			const { message } = createRequestError(context, createFailure(reason, given));
			expect(message).toMatch(/\. The response may or may not have been added$/);
			expect(message).not.toMatch(/ECONN|EPERM/);
		}
	});

	it('quote the service without the token, and put a long quote into the description', () => {
		const long = `${'x'.repeat(295)} token-1`;
		const failure = createFailure('rejected', { status: 422, serverMessage: long });
		const { message, description } = describeFailure(failure, account);
		expect(message + description).not.toContain('token-1');
		expect(message).toContain('…"');
		expect(description).toMatch(/\[access token\]$/);
	});
});

it('n8n stores no more of a failed request than its texts, its status and its cause', () => {
	const failure = createFailure('rejected', { status: 400, serverMessage: 'No' });
	const error = createRequestError(context, failure);
	expect(error.requestFailure.serverMessage).toBe('No');
	expect(JSON.stringify(error)).not.toMatch(/serverMessage|mayHaveActed|requestFailure|"reason"/);
});

it('An error in an input keeps its words, also where n8n would find the code of a system error', () => {
	const message = "'deletePermission' is no field of the form";
	expect(new InputError({} as never, { message }).message).toBe(message);
});

it('A time is rounded up to the minute, and a cut leaves no half of a character', () => {
	expect(formatTime(Date.UTC(2026, 10, 21, 0, 30, 1))).toContain('00:31');
	expect(formatTime(Date.UTC(2026, 10, 21, 0, 30))).toContain('00:30');
	expect(cutAtCharacter('a👍b', 2)).toBe('a');
	expect(cutAtCharacter('a👍b', 3)).toBe('a👍');
});
