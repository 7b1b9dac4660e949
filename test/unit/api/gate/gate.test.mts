import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Gate } from '../../../../nodes/FormService/api/gate/gate.ts';
import type { Ended, Ticket } from '../../../../nodes/FormService/api/gate/gate.ts';

beforeEach(() => {
	vi.useFakeTimers({ now: 1_800_000_000_000 });
});
afterEach(() => {
	vi.useRealTimers();
});

const sleep = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));
const newGate = () => new Gate({ now: () => Date.now(), sleep });
const bulk: Ticket = { urgency: 'bulk', again: false };

async function answered(): Promise<Ended> {
	await sleep(100);
	return { kind: 'reply', status: 200, headers: {} };
}

describe('the gate', () => {
	it('does not let through what was given up before it came', async () => {
		let sent = 0;
		const send = async () => {
			sent++;
			return await answered();
		};
		const ticket = { ...bulk, signal: AbortSignal.abort() };
		expect(await newGate().pass(ticket, send)).toEqual({ kind: 'notSent' });
		expect(sent).toBe(0);
	});

	it('keeps nothing of a request once it is through', async () => {
		const gate = newGate();
		const { signal } = new AbortController();
		const all = Array.from(
			{ length: 20 },
			async () => await gate.pass({ ...bulk, signal }, answered),
		);
		expect(getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
		await vi.runAllTimersAsync();
		await Promise.all(all);
		expect(getEventListeners(signal, 'abort')).toEqual([]);
		expect(gate.waiting).toBe(0);
	});

	it('lets what was sent before go before what was not', async () => {
		const gate = newGate();
		const order: string[] = [];
		const pass = async (name: string, again: boolean) =>
			await gate.pass({ ...bulk, again }, async () => {
				order.push(name);
				return await answered();
			});
		const all = ['1', '2', '3', '4', '5', 'new'].map(async (name) => await pass(name, false));
		all.push(pass('again', true));
		await vi.runAllTimersAsync();
		await Promise.all(all);
		expect(order.slice(5)).toEqual(['again', 'new']);
	});

	it('is free for the next after a request whose sending threw', async () => {
		const gate = newGate();
		const failing = Array.from(
			{ length: 5 },
			async () => await gate.pass(bulk, async () => await Promise.reject(new Error('Not sent'))),
		);
		const next = gate.pass(bulk, answered);
		expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(
			Array(5).fill('rejected'),
		);
		await vi.runAllTimersAsync();
		expect((await next).kind).toBe('reply');
	});
});
