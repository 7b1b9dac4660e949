/** What a response can start a workflow with, and the values of the node's parameter Trigger On. */
export type TriggerEvent = 'responseCompleted' | 'responseStarted';

/** What the trigger knows of one response. */
export type Known = {
	/** It was a partial submission when it was last taken note of, and has not been completed since. */
	incomplete: boolean;
	/** The day, counted from 1970, since which complete listings have been without it. */
	missingSince?: number;
};

/** The responses that need no further event of their present kind, by fingerprint. */
export type Seen = ReadonlyMap<bigint, Known>;

/** A response as one listing shows it. */
export type Listed = { fingerprint: bigint; incomplete: boolean };

export type Found<Response extends Listed> = { event: TriggerEvent; response: Response };

/** Days that a response is remembered after it has left the listing. */
export const REMEMBERED_DAYS = 30;

/** The first look at a form: everything that is there counts as known. */
export function baseline(listed: readonly Listed[]): Seen {
	return new Map(
		distinct(listed).map(({ fingerprint, incomplete }) => [fingerprint, { incomplete }]),
	);
}

/**
 * What has happened since the last look. Each response gives each event once, however often,
 * in whatever order and on how many pages the listing has it:
 * `responseCompleted` when it is complete and was not known to be; `responseStarted` when it is
 * seen for the first time and incomplete.
 */
export function findEvents<Response extends Listed>(
	seen: Seen,
	listed: readonly Response[],
	events: readonly TriggerEvent[],
): Array<Found<Response>> {
	return distinct(listed).flatMap((response) => {
		const event = eventOf(seen.get(response.fingerprint), response);
		return event !== undefined && events.includes(event) ? [{ event, response }] : [];
	});
}

function eventOf(known: Known | undefined, { incomplete }: Listed): TriggerEvent | undefined {
	if (incomplete) return known === undefined ? 'responseStarted' : undefined;
	return known === undefined || known.incomplete ? 'responseCompleted' : undefined;
}

export type Look = {
	listed: readonly Listed[];
	/** Whether the listing was read to its end: a cut one does not show that a response has left. */
	complete: boolean;
	/** Events that were found and not delivered: their responses stay as they were. */
	postponed: ReadonlySet<bigint>;
	/** Today, in days since 1970. */
	day: number;
};

/**
 * What is known after a look. A response that left the listing is remembered for 30 days, so that
 * a listing that is empty or short for a while makes nothing fire again.
 */
export function remember(seen: Seen, { listed, complete, postponed, day }: Look): Seen {
	const next = new Map<bigint, Known>();
	const shown = new Map(distinct(listed).map((response) => [response.fingerprint, response]));
	for (const [print, known] of seen) {
		const after = shown.has(print)
			? { incomplete: known.incomplete }
			: missing(known, complete, day);
		if (after !== undefined) next.set(print, after);
	}
	for (const [print, { incomplete }] of shown) {
		if (postponed.has(print)) continue;
		const wasComplete = seen.get(print)?.incomplete === false;
		next.set(print, { incomplete: incomplete && !wasComplete });
	}
	return next;
}

/** A response that is not in the listing; undefined when it is to be forgotten. */
function missing(known: Known, complete: boolean, day: number): Known | undefined {
	if (!complete) return known;
	const { incomplete, missingSince = day } = known;
	return day - missingSince > REMEMBERED_DAYS ? undefined : { incomplete, missingSince };
}

/** Each response once; of two of its records, the one that says it is complete. */
function distinct<Response extends Listed>(listed: readonly Response[]): Response[] {
	const byPrint = new Map<bigint, Response>();
	for (const response of listed) {
		const present = byPrint.get(response.fingerprint);
		if (present === undefined || (present.incomplete && !response.incomplete)) {
			byPrint.set(response.fingerprint, response);
		}
	}
	return [...byPrint.values()];
}
