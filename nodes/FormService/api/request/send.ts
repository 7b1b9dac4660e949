import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Account } from '../account';
import { NotSent, serviceError } from '../errors';
import { exchange } from './exchange';
import type { Exchange, Outcome } from './exchange';
import { dayUsedUp } from './explain/limits';
import { gateOf, steadyClock } from '../gate/accounts';
import { MAX_OPEN } from '../gate/limits';
import type { Sender } from '../sender';
import { Slots } from './slots';

/** One request to be sent, with the bytes of its reply that are read at most. */
export type Outgoing = IHttpRequestOptions & { maxBytes: number };

/**
 * Sends one request to the account's origin, with the token, when the account's gate lets it.
 *
 * @param again whether it was sent before: then it goes before those that were not
 * @throws NodeApiError when the day's limit is used up; NotSent when the sender gave up first
 */
export async function throughGate(
	sender: Sender,
	account: Account,
	again: boolean,
	outgoing: Outgoing,
): Promise<Outcome> {
	const ticket = { urgency: sender.urgency, again, signal: stopSignal(sender) };
	const options = {
		...sender.transport,
		...outgoing,
		signal: cancelSignal(sender),
		authenticated: true,
	};
	const result = await gateOf(account.key).pass(ticket, async () => {
		sender.onSend?.();
		return await exchange(sender.context, options);
	});
	if (result.kind === 'dayUsedUp') {
		throw serviceError(sender.context.getNode(), dayUsedUp(result.until), sender.itemIndex);
	}
	// what was to change something may have done so: that it was not sent would not be true
	if (result.kind === 'cancelled' && outgoing.method !== 'GET') {
		return { kind: 'broken', problem: 'interrupted' };
	}
	return settled(sender, result);
}

/** As with requests to the service: the items of a run all come at once, and each file is held in memory. */
const otherHosts = new Slots(MAX_OPEN);

/**
 * Sends one request to another host: without the token, and without the gate, which is not its.
 *
 * @throws NotSent when the sender gave up first
 */
export async function toOtherHost(sender: Sender, outgoing: Outgoing): Promise<Outcome> {
	const { timeout, proxy, skipSslCertificateValidation } = sender.transport ?? {};
	const result = await otherHosts.use(sender.urgency, async () => {
		if (hasStopped(sender)) return { kind: 'notSent' } as const;
		return await exchange(sender.context, {
			timeout,
			proxy,
			skipSslCertificateValidation,
			...outgoing,
			signal: cancelSignal(sender),
			authenticated: false,
		});
	});
	return settled(sender, result);
}

function settled(sender: Sender, result: Exchange | { kind: 'notSent' }): Outcome {
	if (result.kind === 'reply' || result.kind === 'broken') return result;
	throw new NotSent(sender.context.getNode(), sender.itemIndex);
}

/**
 * Waits before a request is sent again, or until nothing more is to be sent.
 *
 * @param ms milliseconds
 */
export async function pause(sender: Sender, ms: number): Promise<void> {
	const signal = stopSignal(sender);
	if (ms === 0 || signal?.aborted) return;
	await new Promise<void>((resolve) => {
		const end = () => {
			signal?.removeEventListener('abort', end);
			resolve();
		};
		signal?.addEventListener('abort', end);
		void steadyClock.sleep(ms).then(end);
	});
}

/**
 * Waits for work that another sender has under way, or until nothing more is wanted of it.
 *
 * @throws NotSent when the sender gave up first
 */
export async function joined<T>(sender: Sender, work: Promise<T>): Promise<T> {
	const signal = stopSignal(sender);
	return await new Promise<T>((resolve, reject) => {
		const giveUp = () => reject(new NotSent(sender.context.getNode(), sender.itemIndex));
		signal?.addEventListener('abort', giveUp);
		if (signal?.aborted) giveUp();
		void work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', giveUp));
	});
}

/** Whether nothing more is to be sent. */
export function hasStopped(sender: Sender): boolean {
	return stopSignal(sender)?.aborted === true;
}

/**
 * Aborts when the execution is cancelled. Only this ends a request that is under way: when the
 * sender gives up, the service may have acted on it, and what it answers is still to be told.
 */
function cancelSignal({ context }: Sender): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/** Aborts when the sender gives up or the execution is cancelled: what waits is then not sent. */
function stopSignal(sender: Sender): AbortSignal | undefined {
	const signals = [sender.signal, cancelSignal(sender)].filter((one) => one !== undefined);
	return signals.length > 1 ? AbortSignal.any(signals) : signals[0];
}
