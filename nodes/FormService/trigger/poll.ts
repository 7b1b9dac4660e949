import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
	allowanceOf,
	freeAt,
	isWaiting,
	requestsLeft,
	requestsLeftFor,
	setWaiting,
	ticked,
} from './allowanceShare';
import type { AllowanceShare } from './allowanceShare';
import { Look } from './look';
import type { Memory, TriggerMemory } from './memory';
import { DAY_MS } from './pollSchedule';
import { backlogOf, isHandingOver, knows, saveUnsaved } from './recall';
import { allowanceUsedUp, asNodeError } from './trouble';
import type { Trigger, World } from './world';

type Items = INodeExecutionData[] | null;

/**
 * n8n 2 activates a workflow again when that failed, five times within 15 seconds, and tells people
 * what the last one said. It gets the same answer each time, for one request.
 */
const ACTIVATION_MS = 20_000;

/**
 * One tick of n8n, which is an opportunity and not an order: looks at the form if it is time, and
 * gives the items of what is new, or null.
 *
 * @param staticData n8n's static data of the node; changed last, and only if all went well
 * @throws NodeApiError or NodeOperationError that people are to be told of
 */
export async function poll(
	trigger: Trigger,
	staticData: IDataObject,
	memory: Memory,
	world: World,
): Promise<Items> {
	const { key, account, source, events, occasion } = trigger;
	const own = memory.trigger(key, `${account} ${source} ${events.join()}`, world.node.name);
	memory.setShare(account, ticked(memory.share(account), trigger, world.now()));

	const { toCorrect } = own;
	const isAgain = toCorrect !== undefined && world.now() - toCorrect.at < ACTIVATION_MS;
	if (occasion !== 'tick' && isAgain) throw asNodeError(world.node, toCorrect.error);

	const isWatching = () => knows(staticData, own, source);
	while (own.look !== undefined) {
		if (!isWatching()) await own.look;
		if (isWatching()) return null;
	}
	if (isHandingOver(staticData, own, world.now())) return null;

	const look = new Look(trigger, staticData, own, memory, world);
	// a form that was never looked at cannot wait: what comes before the first look is not delivered
	const cannotWait = occasion !== 'tick' && !isWatching();
	const isWanted = cannotWait || look.isDue() || isAsked(trigger, own, world.now());
	const share = memory.share(account);
	const pages = Math.min(expectedPages(own), allowanceOf(share));
	const left = cannotWait ? requestsLeft(share) : leftFor(trigger, own, share, world.now());
	const isFree = left >= pages;
	const waitsFor = isWanted && !isFree ? pages : undefined;
	memory.setShare(account, setWaiting(share, key, waitsFor, world.now()));
	if (isWanted && isFree) return await alone(own, look.atForm());
	if (cannotWait) throw allowanceUsedUp(world.node, freeAt(share, pages, world.now()));
	if (waitsFor !== undefined && !isWaiting(share, key)) world.log.info(WAITS);

	const backlog = backlogOf(staticData, own);
	if (backlog.length > 0) return await alone(own, look.atBacklog(backlog));
	saveUnsaved(staticData, own);
	return null;
}

const WAITS =
	'A look is due, but the triggers on this account have used up their Requests per Day. It comes as soon as enough of them are left again.';

/** Whoever publishes a workflow while its looks fail wants to know whether they still do. */
function isAsked(
	{ occasion }: Trigger,
	{ schedule: { failures, refusedUntil } }: TriggerMemory,
	now: number,
): boolean {
	return occasion === 'publish' && failures > 0 && now >= refusedUntil;
}

/** A trigger that has not looked for so long may have its next tick in a week. */
const RARE_MS = DAY_MS / 2;

function leftFor({ key }: Trigger, own: TriggerMemory, share: AllowanceShare, now: number): number {
	const isRare = now - own.schedule.startedAt >= RARE_MS;
	return requestsLeftFor(share, { key, isRare }, now);
}

/** A listing of several pages may have grown by one since the last look. */
function expectedPages({ schedule: { pages } }: TriggerMemory): number {
	return pages > 1 ? pages + 1 : 1;
}

/** Lets polls that overlap this one know of it until it has ended. */
async function alone(own: TriggerMemory, look: Promise<Items>): Promise<Items> {
	const ended = look.then(
		() => undefined,
		() => undefined,
	);
	own.look = ended;
	try {
		return await look;
	} finally {
		own.look = undefined;
	}
}
