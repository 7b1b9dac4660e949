import { expect, it } from 'vitest';
import type { FaultName } from '../../service/index.mts';
import { placesOf } from '../harness.mts';
import { inputFor, operationCases, timesAdded } from '../resources/operations.mts';
import { AT_ONCE, createWorld } from '../world.mts';
import { tracesOf } from './traces.mts';

const faults: FaultName[] = ['forbidden', 'dropAfter'];

/** Runs an operation over two items, of which the second meets the fault, unless they share a request. */
it.each(operationCases)('$name stops or continues at a refusal and a lost reply', async (one) => {
	const { match, effect, ownRequest, parameters } = one;
	for (const fault of faults) {
		const meet = async (continueOnFail: boolean) => {
			const { service, n8n } = await createWorld(AT_ONCE);
			const input = inputFor(service);
			service.faults.set({ fault, match });
			const { items, error, run } = await n8n.runNode(parameters, input, { continueOnFail });
			expect(timesAdded(service)).toBe(effect === 'once' && fault === 'dropAfter' ? 1 : 0);
			expect(tracesOf({ accessToken: service.token }, run, error)).toEqual([]);
			return { items, error };
		};
		const stopped = await meet(false);
		expect(stopped.items).toEqual([]);
		const context = { itemIndex: ownRequest ? 1 : 0 };
		expect(stopped.error).toMatchObject({ name: 'NodeApiError', context });

		const { error, items } = await meet(true);
		expect(error).toBeUndefined();
		expect([...new Set(placesOf(items))]).toEqual([0, 1]);
		const failed = items.filter(({ json }) => json.error !== undefined);
		expect(placesOf(failed)).toEqual(ownRequest ? [1] : [0, 1]);
		const withoutPort = (text: unknown) => String(text).replace(/127\.0\.0\.1:\d+/, '…');
		for (const { json } of failed) {
			expect(withoutPort(json.error)).toContain(withoutPort(stopped.error?.message));
		}
	}
});
