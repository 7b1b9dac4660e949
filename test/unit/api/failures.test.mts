import { expect, it } from 'vitest';
import { createAccount } from '../../../nodes/FormService/api/account.ts';
import { InputError, ServiceError } from '../../../nodes/FormService/api/errors.ts';
import {
	createFailure,
	describeFailure,
	type FailureReason,
	formatTime,
	REASONS,
} from '../../../nodes/FormService/api/failures.ts';

const account = createAccount({ accessToken: 'token-1', baseUrl: 'https://forms.example.com' });

it('The texts of each reason have all facts, and say what to do', () => {
	const facts = { status: 500, retryAtMs: 0, noun: 'form', detail: 'ECONNRESET' };
	for (const reason of Object.keys(REASONS) as FailureReason[]) {
		const { message, description } = describeFailure(createFailure(reason, facts), account);
		expect(message + description, reason).not.toMatch(/[{}]|unknown|undefined/);
		expect(description, reason).toMatch(/[.)]$/);
	}
});

// n8n would put its own message in the place of one with the code of a system error
const message = "'deletePermission' is no field of the form";

it('An error keeps its words, and n8n stores no more of a failed request', () => {
	expect(new InputError({} as never, { message }).message).toBe(message);
	const failure = createFailure('rejected', { status: 400, serverMessage: 'No' });
	const error = new ServiceError({} as never, failure, { message, description: '' });
	expect(error).toMatchObject({ message, requestFailure: failure });
	expect(JSON.stringify(error)).not.toMatch(/serverMessage|mayHaveActed|requestFailure|"reason"/);
});

it('A time is rounded up to the minute', () => {
	expect(formatTime(Date.UTC(2026, 10, 21, 0, 30, 1))).toContain('00:31');
	expect(formatTime(Date.UTC(2026, 10, 21, 0, 30))).toContain('00:30');
});
