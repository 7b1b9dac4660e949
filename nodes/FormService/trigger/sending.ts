import type { Budget } from './budget';
import type { Dependencies } from './dependencies';
import type { PollListing } from './diff';
import { failureOf } from './errors';

const QUEUED =
	'The check was not sent: other nodes of the account have used up the requests of the minute. The next tick tries again.';

/** The requests of one poll, each of which counts, as far as the budget and the time allow. */
export class Sending {
	/** Whether a request has been sent, or was about to be. */
	hasBegun = false;

	/** Whether nothing more is to be sent. */
	isStopped = false;

	/** @param until when no further page is begun, in epoch milliseconds */
	constructor(
		private readonly budget: Budget,
		private readonly deps: Dependencies,
		private readonly until: number,
	) {}

	/** Sends the requests of one listing, and says how many there were. Throws nothing. */
	async send(
		request: (goOn: () => boolean) => Promise<PollListing>,
		startedAt: number,
	): Promise<{ sent: number } & ({ listing: PollListing } | { error: unknown })> {
		const { budget, deps } = this;
		this.hasBegun = true;
		const before = deps.requestsSent();
		const sent = () => deps.requestsSent() - before;
		const reservation = budget.reserve();
		reservation.hold(1, startedAt);
		const goOn = () => {
			reservation.hold(sent() + 1, deps.now());
			return deps.now() < this.until && budget.left(deps.now()) >= 0;
		};
		try {
			return { listing: await request(goOn), sent: sent() };
		} catch (error) {
			return { error, sent: sent() };
		} finally {
			reservation.release(sent(), deps.now());
		}
	}

	/** Whether its turn in the account's queue did not come: then nothing more is sent, and nothing has failed. */
	isQueued(error: unknown, sent: number): boolean {
		if (failureOf(error)?.cause !== 'rate-limited' || sent > 0) return false;
		this.isStopped = true;
		this.deps.log.info(QUEUED);
		return true;
	}
}
