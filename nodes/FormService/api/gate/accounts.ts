import { sleep } from 'n8n-workflow';
import { Gate } from './gate';
import type { Clock } from './gate';

/** Epoch milliseconds that never go back, whatever happens to the machine's clock. */
export const steadyClock: Clock = {
	now: () => performance.timeOrigin + performance.now(),
	sleep: async (ms) => await sleep(ms),
};

const gates = new Map<string, Gate>();

/**
 * The gate of an account, the same for all nodes, triggers and look-ups of this process: the
 * service counts them together (specification, section 8).
 *
 * @param key see `Account.key`
 */
export function gateOf(key: string): Gate {
	const gate = gates.get(key) ?? new Gate(steadyClock);
	gates.set(key, gate);
	return gate;
}
