import { expect, it } from 'vitest';
import { createAccount } from '../../../nodes/FormService/api/account.ts';
import { InputError } from '../../../nodes/FormService/api/errors.ts';
import {
	createFailure,
	describeFailure,
	type FailureReason,
	formatTime,
	REASONS,
} from '../../../nodes/FormService/api/failures.ts';
import {
	createRequestError,
	type RequestContext,
} from '../../../nodes/FormService/api/requestContext.ts';

const account = createAccount({ accessToken: 'token-1', baseUrl: 'https://forms.example.com' });
const context = { account, n8n: { getNode: () => ({}) } } as unknown as RequestContext;

/** The facts that the callers give for the names in braces. */
const facts = { status: 500, retryAtMs: 0, noun: 'form', detail: 'ECONNRESET' };

it.each(Object.keys(REASONS) as FailureReason[])(
	'The texts of the reason %s have all facts, and say what to do',
	(reason) => {
		const { message, description } = describeFailure(createFailure(reason, facts), account);
		expect(message + description).not.toMatch(/[{}]|unknown|undefined/);
		expect(description).toMatch(/[.)]$/);
	},
);

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

it('A time is rounded up to the minute', () => {
	expect(formatTime(Date.UTC(2026, 10, 21, 0, 30, 1))).toContain('00:31');
	expect(formatTime(Date.UTC(2026, 10, 21, 0, 30))).toContain('00:30');
});
