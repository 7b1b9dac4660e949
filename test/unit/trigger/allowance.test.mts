import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { Memory } from '../../../nodes/FormService/trigger/memory.ts';
import { poll } from '../../../nodes/FormService/trigger/poll.ts';
import { DAY_MS, MINUTE_MS } from '../../../nodes/FormService/trigger/schedule.ts';
import { DUE_MS, onForm, Polling, quiet, record, ticking } from './polling.mts';

let trigger: Polling;
beforeEach(() => {
	trigger = new Polling();
});

it('A look that finds nothing new gives null: n8n would run the workflow on an empty list', async () => {
	const memory = new Memory();
	const staticData: IDataObject = {};
	let now = 0;
	for (let look = 0; look < 3; look++, now += DUE_MS) {
		expect(await poll(ticking, staticData, memory, quiet({ now: () => now }))).toBeNull();
	}
});

it('Two triggers that look at the same moment do not take the same last request', async () => {
	const memory = new Memory();
	let looks = 0;
	const world = () =>
		quiet({
			listResponses: async () => {
				looks += 1;
				return { records: [], complete: true };
			},
		});
	const few = { ...ticking, requestsPerDay: 1 };
	const other = { ...few, key: 'other', ...onForm('other') };
	await Promise.all([poll(few, {}, memory, world()), poll(other, {}, memory, world())]);
	expect(looks).toBe(1);
});

describe('When no request of the day is left, a tick', () => {
	it('says nothing', async () => {
		const few = { requestsPerDay: 1 };
		await trigger.tick(0, {}, { ...few, reason: 'publish' });
		expect(await trigger.tick(DUE_MS, {}, { ...few, ...onForm('other') })).toEqual([]);
		expect(trigger.polls).toBe(1);
	});
});

it('A publication between two looks at a form that is known sends nothing', async () => {
	const staticData: IDataObject = {};
	await trigger.tick(0, staticData, { reason: 'publish' });
	await trigger.tick(MINUTE_MS, staticData, { reason: 'publish' });
	expect(trigger.polls).toBe(1);
});

describe('A listing of several pages', () => {
	/** A trigger whose listing has so many pages; gives how many of them each look read. */
	function paged(pages: number, requestsPerDay: number, perPage = 1) {
		const memory = new Memory();
		const staticData: IDataObject = {};
		let now = 0;
		const read: number[] = [];
		const tick = async (after: number) => {
			now += after;
			let sent = 0;
			const world = quiet({
				now: () => now,
				requestsSent: () => sent,
				listResponses: async (_formId, goOn) => {
					sent += perPage;
					for (let page = 1; page < pages; page++) {
						if (!goOn()) break;
						sent += perPage;
					}
					read.push(sent);
					return { records: [record(1)], complete: sent === pages * perPage };
				},
			});
			await poll({ ...ticking, requestsPerDay }, staticData, memory, world).catch(() => null);
		};
		return { tick, read };
	}

	it('is not begun while there are too few requests left for all of them and one more', async () => {
		const { tick, read } = paged(4, 10);
		// a look of 4 pages each 9.6 hours: the third, after 19.2 hours, would have but 2 requests
		for (let minute = 0; minute < 2 * 24 * 60; minute++) await tick(MINUTE_MS);
		expect(new Set(read)).toEqual(new Set([4]));
		expect(read.length).toBeGreaterThanOrEqual(4);
	});

	it('takes no more requests than are left, however many pages there are', async () => {
		const { tick, read } = paged(50, 10);
		await tick(0);
		expect(read).toEqual([10]);
	});

	it('counts the redirects of its pages too', async () => {
		const { tick, read } = paged(8, 10, 2);
		await tick(0);
		expect(read[0]).toBeLessThanOrEqual(10);
	});
});

it('A form whose poll is not due any more lets others go first', async () => {
	const memory = new Memory();
	const staticData: IDataObject = {};
	await poll(ticking, staticData, memory, quiet());
	const budget = memory.budget('account');
	budget.wait('workflow:node form', 5, 0);
	await poll(ticking, staticData, memory, quiet({ now: () => MINUTE_MS }));
	expect(budget.wait('workflow:node form', 5, MINUTE_MS)).toBe(true);
});

describe('The last requests of the day', () => {
	/** A trigger that n8n ticks each minute, for so many days. */
	const often = async (days: number, staticData: IDataObject) => {
		await trigger.tick(0, staticData, { reason: 'publish' });
		for (let minute = 1; minute < days * 24 * 60; minute++) {
			await trigger.tick(MINUTE_MS, staticData);
		}
	};

	it('are kept for the first look at another form', async () => {
		await often(1, {});
		const second = { reason: 'publish', key: 'second', ...onForm('other') } as const;
		expect(await trigger.tick(30_000, {}, second)).toEqual([]);
	});

	it('are kept for a trigger that n8n polls once a week', async () => {
		const weekly: IDataObject = {};
		const week = { key: 'weekly', ...onForm('other') };
		await trigger.tick(0, weekly, { ...week, reason: 'publish' });
		await often(7, {});
		const before = trigger.polls;
		await trigger.tick(1_000, weekly, week);
		expect(trigger.polls).toBe(before + 1);
	});
});

it('A publication when a look under way has the last request says when there will be another', async () => {
	const memory = new Memory();
	const few = { ...ticking, requestsPerDay: 1 };
	let end = () => {};
	const listResponses = async () => {
		await new Promise<void>((resolve) => (end = resolve));
		return { records: [], complete: true };
	};
	const first = poll(few, {}, memory, quiet({ now: () => 0, listResponses }));
	const other = { ...few, key: 'other', ...onForm('other'), reason: 'publish' } as const;
	await expect(poll(other, {}, memory, quiet({ now: () => 0 }))).rejects.toMatchObject({
		failure: { cause: 'quota-exhausted', resetsAtEpochMs: DAY_MS },
	});
	end();
	await first;
});
