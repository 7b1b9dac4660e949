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

const account = createAccount({ accessToken: 'token-1', baseUrl: 'https://forms.example.com' });

it('The texts of each reason have all facts, and say what to do', () => {
	const facts = { status: 500, retryAtMs: 0, noun: 'form', detail: 'ECONNRESET' };
	for (const reason of Object.keys(REASONS) as FailureReason[]) {
		const { message, description } = describeFailure(createFailure(reason, facts), account);
		expect(message + description, reason).not.toMatch(/[{}]|unknown|undefined/);
		expect(description, reason).toMatch(/[.)]$/);
	}
});

it('An error keeps its words where n8n has its own for a code in them', () => {
	const message = "'deletePermission' is no field of the form";
	expect(new InputError({} as never, { message }).message).toBe(message);
});

it('A time is rounded up to the minute', () => {
	expect(formatTime(Date.UTC(2026, 10, 21, 0, 30, 1))).toContain('00:31');
	expect(formatTime(Date.UTC(2026, 10, 21, 0, 30))).toContain('00:30');
});
