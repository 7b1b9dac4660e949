import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../nodes/FormService/trigger/schedule.ts';
import { DUE_MS, onForm, Polling, record } from './polling.mts';

let trigger: Polling;
beforeEach(() => {
	trigger = new Polling();
});

describe('A poll', () => {
	it('of a node with a new name begins anew, and repeats nothing', async () => {
		const before: IDataObject = {};
		await trigger.tick(0, before, { reason: 'publish' });
		trigger.records.push(record(1));
		expect(await trigger.tick(DUE_MS, before)).toEqual([1]);

		trigger.nodeName = 'Renamed';
		const after: IDataObject = {};
		expect(await trigger.tick(MINUTE_MS, after, { reason: 'publish' })).toEqual([]);
		trigger.records.push(record(2));
		expect(await trigger.tick(2 * DUE_MS, after)).toEqual([2]);
	});

	it('that is not due gives n8n the beginning to save, which durable cursors drop at activation', async () => {
		await trigger.tick(0, {}, { reason: 'publish' });
		const saved: IDataObject = {};
		expect(await trigger.tick(MINUTE_MS, saved)).toEqual([]);
		expect(trigger.polls).toBe(1);

		const restarted = new Polling();
		restarted.records.push(record(1));
		expect(await restarted.tick(MINUTE_MS, saved)).toEqual([1]);
	});

	it('that is not due changes nothing that n8n has saved', async () => {
		const staticData: IDataObject = {};
		await trigger.tick(0, staticData, { reason: 'publish' });
		trigger.records.push(record(1));
		await trigger.tick(DUE_MS, staticData);
		const saved = structuredClone(staticData);
		await trigger.tick(MINUTE_MS, staticData);
		expect(trigger.polls).toBe(2);
		expect(staticData).toEqual(saved);
	});

	it('comes as often as before when another trigger of the account is switched off', async () => {
		const [one, other]: IDataObject[] = [{}, {}];
		await trigger.tick(0, one, { reason: 'publish' });
		await trigger.tick(0, other, { reason: 'publish', key: 'other' });
		trigger.records.push(record(1));
		expect(await trigger.tick(DUE_MS, one)).toEqual([]);
		expect(await trigger.tick(MINUTE_MS, one)).toEqual([1]);
		trigger.records.push(record(2));
		expect(await trigger.tick(DUE_MS, one)).toEqual([2]);
	});

	it('goes by another number of requests a day at once', async () => {
		const staticData: IDataObject = {};
		await trigger.tick(0, staticData, { reason: 'publish', requestsPerDay: 2 });
		trigger.records.push(record(1));
		expect(await trigger.tick(MINUTE_MS, staticData, { requestsPerDay: 2 })).toEqual([]);
		expect(await trigger.tick(MINUTE_MS, staticData, { requestsPerDay: 720 })).toEqual([1]);
	});
});

it('A publication for a new form says so when no request of the day is left', async () => {
	const few = { reason: 'publish', requestsPerDay: 1 } as const;
	await trigger.tick(0, {}, few);
	const other = trigger.tick(DUE_MS, {}, { ...few, ...onForm('other') });
	await expect(other).rejects.toMatchObject({
		message: expect.stringContaining('used up their'),
		failure: { cause: 'quota-exhausted' },
	});
	expect(trigger.polls).toBe(1);
});

describe('A publication that fails for what a person has to correct', () => {
	const publish = async (after: number, staticData: IDataObject, account = 'account') =>
		await trigger.tick(after, staticData, { reason: 'publish', account });

	it('fails again when n8n tries it again, without another request', async () => {
		const staticData: IDataObject = {};
		await publish(0, staticData);
		trigger.tokenIsRefused = true;
		await expect(publish(DUE_MS, staticData)).rejects.toThrow('The token is refused');
		for (const pause of [1_000, 2_000, 4_000, 8_000]) {
			await expect(publish(pause, staticData)).rejects.toThrow('The token is refused');
		}
		expect(trigger.polls).toBe(2);
	});

	it('fails at once for another form too, and not with the third look', async () => {
		const staticData: IDataObject = {};
		await publish(0, staticData);
		trigger.tokenIsRefused = true;
		const other = trigger.tick(DUE_MS, staticData, { reason: 'start', ...onForm('other') });
		await expect(other).rejects.toThrow('The token is refused');
	});

	it('does not keep one that came meanwhile from its own look', async () => {
		trigger.tokenIsRefused = true;
		const first = publish(0, {});
		trigger.tokenIsRefused = false;
		const second = publish(0, {});
		await expect(first).rejects.toThrow('The token is refused');
		expect(await second).toEqual([]);
		expect(trigger.polls).toBe(2);
	});

	it('goes well as soon as it is corrected', async () => {
		const staticData: IDataObject = {};
		trigger.tokenIsRefused = true;
		await expect(publish(0, staticData)).rejects.toThrow('The token is refused');
		trigger.tokenIsRefused = false;
		expect(await publish(1_000, staticData, 'with another token')).toEqual([]);
		expect(trigger.polls).toBe(2);
	});
});

describe('A listing that is cut at each look', () => {
	it('is told when nothing new is on what could be read', async () => {
		const staticData: IDataObject = {};
		trigger.records.push(record(1));
		await trigger.tick(0, staticData, { reason: 'publish' });
		trigger.records.push(record(2));
		trigger.readable = 1;
		expect(await trigger.tick(DUE_MS, staticData)).toEqual([]);
		expect(await trigger.tick(10 * MINUTE_MS, staticData)).toEqual([]);
		await expect(trigger.tick(20 * MINUTE_MS, staticData)).rejects.toThrow('read all responses');
	});

	it('is not told while it brings what is new', async () => {
		const staticData: IDataObject = {};
		await trigger.tick(0, staticData, { reason: 'publish' });
		for (let number = 1; number <= 5; number++) {
			trigger.records.unshift(record(number));
			trigger.readable = 1;
			expect(await trigger.tick(DUE_MS, staticData)).toEqual([number]);
		}
	});
});

describe('What a look had no room for', () => {
	/** The second of two responses is postponed, and its file cannot be had. */
	async function postpone(staticData: IDataObject): Promise<void> {
		await trigger.tick(0, staticData, { reason: 'publish', maxPerPoll: 1 });
		trigger.records.push(record(1), record(2));
		expect(await trigger.tick(DUE_MS, staticData, { maxPerPoll: 1 })).toEqual([1]);
		trigger.withoutFile = 2;
	}

	it('comes with the next tick, without a request', async () => {
		const staticData: IDataObject = {};
		await postpone(staticData);
		trigger.withoutFile = undefined;
		expect(await trigger.tick(10_000, staticData)).toEqual([2]);
		expect(trigger.polls).toBe(2);
	});

	it('waits for its file as long as anything else: not three ticks, but three looks', async () => {
		const staticData: IDataObject = {};
		await postpone(staticData);
		for (let ticks = 0; ticks < 10; ticks++)
			expect(await trigger.tick(10_000, staticData)).toEqual([]);
		expect(await trigger.tick(4 * MINUTE_MS, staticData)).toEqual([]);
		expect(await trigger.tick(8 * MINUTE_MS, staticData)).toEqual([2]);
		expect(trigger.polls).toBe(4);
	});
});
