import type { IPollFunctions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { Memory } from '../../../nodes/FormService/trigger/memory.ts';
import { pollBudgetMs, pollReason } from '../../../nodes/FormService/trigger/nodePoll.ts';

/** As much of n8n's context as tells why it polls. */
const context = (activation: string, budgetMs?: number) =>
	({
		getActivationMode: () => activation,
		...(budgetMs !== undefined && { getPollBudgetMs: () => budgetMs }),
	}) as unknown as IPollFunctions;

const DEFAULT_MODE = 5 * 60_000;

describe('Why n8n polls', () => {
	it.each([
		['activate', 'publish'],
		['update', 'publish'],
		['create', 'publish'],
		['init', 'start'],
		['leadershipChange', 'start'],
	])('is, with a new context and activation mode %s: %s', (mode, expected) => {
		expect(pollReason(context(mode, DEFAULT_MODE), new Memory())).toBe(expected);
		expect(pollReason(context(mode), new Memory())).toBe(expected);
	});

	it('is a tick with a context that has polled before', () => {
		const memory = new Memory();
		const known = context('activate', DEFAULT_MODE);
		pollReason(known, memory);
		expect(pollReason(known, memory)).toBe('tick');
	});

	it('is a tick in durable mode, where each tick has a context of its own and less time', () => {
		expect(pollReason(context('update', 36_000), new Memory())).toBe('tick');
	});

	it('is a tick in durable mode also where n8n is set to give polls more time', () => {
		expect(pollReason(context('update', 600_000), new Memory())).toBe('tick');
	});
});

describe('The time that a poll has', () => {
	it('is what n8n says', () => {
		expect(pollBudgetMs(context('update', 36_000))).toBe(36_000);
	});

	it('is five minutes where n8n does not say', () => {
		expect(pollBudgetMs(context('update'))).toBe(DEFAULT_MODE);
	});
});
