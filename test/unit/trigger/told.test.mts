import type { Failure, IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { serviceError } from '../../../nodes/FormService/api/errors.ts';
import { Memory } from '../../../nodes/FormService/trigger/memory.ts';
import { poll } from '../../../nodes/FormService/trigger/poll.ts';
import { MINUTE_MS } from '../../../nodes/FormService/trigger/schedule.ts';
import { DUE_MS, node, Polling, quiet, ticking } from './polling.mts';

let trigger: Polling;
beforeEach(() => {
	trigger = new Polling();
});

describe('A look that fails for what a person has to correct', () => {
	it('at a tick is told with the third look only', async () => {
		const staticData: IDataObject = {};
		await trigger.tick(0, staticData, { reason: 'publish' });
		trigger.tokenIsRefused = true;
		expect(await trigger.tick(DUE_MS, staticData)).toEqual([]);
		expect(await trigger.tick(4 * MINUTE_MS, staticData)).toEqual([]);
		const third = trigger.tick(8 * MINUTE_MS, staticData);
		await expect(third).rejects.toThrow('The token is refused');
	});

	it('does not keep n8n from starting where the form is known', async () => {
		const staticData: IDataObject = {};
		await trigger.tick(0, staticData, { reason: 'publish' });
		trigger.tokenIsRefused = true;
		expect(await trigger.tick(DUE_MS, staticData, { reason: 'start' })).toEqual([]);
	});
});

describe('A publication that fails for what may pass', () => {
	const unavailable = { cause: 'temporarily-unavailable' } as const;
	const publishing = (memory: Memory, staticData: IDataObject, now: number, fails: boolean) =>
		poll(
			{ ...ticking, reason: 'publish' },
			staticData,
			memory,
			quiet({
				now: () => now,
				listResponses: async () => {
					if (fails) throw serviceError(node, { message: 'Down', failure: unavailable });
					return { records: [], complete: true };
				},
			}),
		);

	it('is told at the first look, and looks again when n8n tries again', async () => {
		const memory = new Memory();
		await expect(publishing(memory, {}, 0, true)).rejects.toThrow('Down');
		expect(await publishing(memory, {}, 1_000, false)).toBeNull();
	});

	it('is not told where the form is known: the workflow stays active', async () => {
		const memory = new Memory();
		const staticData: IDataObject = {};
		await publishing(memory, staticData, 0, false);
		expect(await publishing(memory, staticData, DUE_MS, true)).toBeNull();
	});
});

/** Looks that fail, at these times in minutes: whether each was made, and whether it was told. */
async function failing(minutes: readonly number[], failure: Failure) {
	const memory = new Memory();
	let now = 0;
	let looks = 0;
	const listResponses = async () => {
		looks += 1;
		throw serviceError(node, { message: 'Down', failure });
	};
	const results: string[] = [];
	for (const minute of minutes) {
		now = minute * MINUTE_MS;
		const before = looks;
		const told = await poll(ticking, {}, memory, quiet({ now: () => now, listResponses })).then(
			() => false,
			() => true,
		);
		results.push(looks === before ? 'none' : told ? 'told' : 'logged');
	}
	return results;
}

it('A trigger does not look before the time that the service asked for', async () => {
	const failure: Failure = { cause: 'rate-limited', retryAfterMs: 45 * MINUTE_MS };
	expect(await failing([0, 5, 44, 45], failure)).toEqual(['logged', 'none', 'none', 'logged']);
});

it('Trouble that lasts is told once, and again after an hour', async () => {
	const failure: Failure = { cause: 'temporarily-unavailable' };
	expect(await failing([0, 4, 12, 28, 58, 88], failure)).toEqual([
		'logged',
		'logged',
		'told',
		'logged',
		'logged',
		'told',
	]);
});

it('A publication asks nothing of a service that has said when it takes requests again', async () => {
	const memory = new Memory();
	const staticData: IDataObject = {};
	await poll({ ...ticking, reason: 'publish' }, staticData, memory, quiet());
	const failure: Failure = { cause: 'rate-limited', retryAfterMs: 45 * MINUTE_MS };
	let looks = 0;
	const listResponses = async () => {
		looks += 1;
		throw serviceError(node, { message: 'Down', failure });
	};
	for (const minute of [2, 5]) {
		const world = quiet({ now: () => minute * MINUTE_MS, listResponses });
		await poll({ ...ticking, reason: 'publish' }, staticData, memory, world);
	}
	expect(looks).toBe(1);
});

it('A publication while looks fail looks at once, and tells what is to be corrected', async () => {
	const staticData: IDataObject = {};
	await trigger.tick(0, staticData, { reason: 'publish' });
	trigger.tokenIsRefused = true;
	await trigger.tick(DUE_MS, staticData);
	const publication = trigger.tick(MINUTE_MS, staticData, { reason: 'publish' });
	await expect(publication).rejects.toThrow('The token is refused');
});

it('A look whose request never left is no failure: the next tick looks', async () => {
	const memory = new Memory();
	const staticData: IDataObject = {};
	await poll({ ...ticking, reason: 'publish' }, staticData, memory, quiet({ now: () => 0 }));
	const failure = { cause: 'rate-limited' } as const;
	const listResponses = async () => {
		throw serviceError(node, { message: 'The queue was too long', failure });
	};
	for (const minute of [2, 3, 4, 5]) {
		const world = quiet({ now: () => minute * MINUTE_MS, requestsSent: () => 0, listResponses });
		expect(await poll(ticking, staticData, memory, world)).toBeNull();
	}
	let looks = 0;
	const good = async () => ({ records: [], complete: (looks += 1) > 0 });
	await poll(ticking, staticData, memory, quiet({ now: () => 6 * MINUTE_MS, listResponses: good }));
	expect(looks).toBe(1);
});
