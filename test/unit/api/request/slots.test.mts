import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Slots } from '../../../../nodes/FormService/api/request/slots.ts';

/** Work that notes when it begins, and ends when it is told to. */
function worker(slots: Slots) {
	const begun: string[] = [];
	const ends = new Map<string, PromiseWithResolvers<void>>();
	return {
		begun,
		ask: async (name: string, urgency: 'prompt' | 'bulk' = 'bulk') =>
			await slots.use(urgency, async () => {
				begun.push(name);
				ends.set(name, Promise.withResolvers());
				await ends.get(name)!.promise;
			}),
		end: async (name: string, error?: Error) => {
			if (error) ends.get(name)!.reject(error);
			else ends.get(name)!.resolve();
			// what comes next begins a moment later
			await wait(5);
		},
	};
}

describe('slots', () => {
	it('let so many begin at once, and the next when one has ended', async () => {
		const { ask, begun, end } = worker(new Slots(2));
		const all = ['a', 'b', 'c', 'd'].map(async (name) => await ask(name));
		expect(begun).toEqual(['a', 'b']);
		await end('b');
		expect(begun).toEqual(['a', 'b', 'c']);
		await end('a');
		expect(begun).toEqual(['a', 'b', 'c', 'd']);
		await end('c');
		await end('d');
		await Promise.all(all);
	});

	it('let what someone waits for go before the items of a run', async () => {
		const { ask, begun, end } = worker(new Slots(1));
		const all = [ask('a'), ask('b'), ask('trigger', 'prompt')];
		await end('a');
		expect(begun).toEqual(['a', 'trigger']);
		await end('trigger');
		await end('b');
		await Promise.all(all);
	});

	it('are free again after a failure', async () => {
		const { ask, begun, end } = worker(new Slots(1));
		const first = ask('a');
		const second = ask('b');
		first.catch(() => {});
		await end('a', new Error('No file'));
		await expect(first).rejects.toThrow('No file');
		expect(begun).toEqual(['a', 'b']);
		await end('b');
		await second;
		void ask('c');
		expect(begun).toEqual(['a', 'b', 'c']);
	});
});
