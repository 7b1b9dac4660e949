import type { Account } from './account';
import type { Endpoint } from './endpoints';
import { NotSent } from './errors';
import { steadyClock } from './gate/accounts';
import { list } from './replies/list';
import type { Listed } from './replies/list';
import { request } from './request/request';
import type { Request } from './request/request';
import { hasStopped, joined } from './request/send';
import type { Sender } from './sender';
import { Shared } from './shared';

const listsUnderway = new Shared<Listed>();

/**
 * A list, fetched once for all who ask for it at the same moment, unless one of them waits in the
 * queue of the items and another goes before it.
 */
export async function sharedList(
	sender: Sender,
	account: Account,
	target: { endpoint: Endpoint; url: string },
	limit?: number,
): Promise<Listed> {
	let isOwn = false;
	const fetch = async () => {
		isOwn = true;
		return await list(sender, account, target, { limit, now: steadyClock.now });
	};
	const key = `${account.key} ${sender.urgency} ${target.url} ${limit}`;
	const work = listsUnderway.join(key, fetch);
	if (isOwn) return await work;
	return await joined(sender, work).catch(async (error: unknown) => {
		// whoever asked first was cancelled; that is no reason for the others to go without
		const goOn = error instanceof NotSent && !hasStopped(sender);
		if (goOn) return await sharedList(sender, account, target, limit);
		throw error;
	});
}

/** Sends a change. Who then asks for a list gets one that has the change. */
export async function change(sender: Sender, account: Account, what: Request): Promise<unknown> {
	try {
		return (await request(sender, account, what)).value;
	} finally {
		listsUnderway.close(account.key);
	}
}
