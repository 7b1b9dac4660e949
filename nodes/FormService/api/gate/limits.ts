/** Requests that one account may send in a minute (specification, section 8). */
export const REQUESTS_PER_MINUTE = 60;

/** Requests that one account may send in a day (specification, section 8). */
export const REQUESTS_PER_DAY = 1440;

/** The service's window: its minute starts with the first request after the last one ended. */
export const WINDOW_MS = 60_000;

/**
 * Requests of one account that are open at a time. Enough to spend the minute's allowance at reply
 * times of several seconds, and few enough that a refusal, which meets all that are open, stays cheap.
 */
export const MAX_OPEN = 5;

/**
 * Added to the end of a window: timers fire up to a millisecond early, and a service that counts
 * its windows on a clock of its own rounds.
 */
export const WINDOW_MARGIN_MS = 25;

/** Added to `Retry-After`, which the service rounds down to whole seconds. */
export const RETRY_AFTER_MARGIN_MS = 1_000;

/** How long the day's limit is taken to last when a refusal does not say: then it is asked again. */
export const UNKNOWN_DAY_RESET_MS = 60 * 60_000;

/** No refusal lasts longer than the day that it is for, whatever `Retry-After` says. */
export const LONGEST_DAY_S = 24 * 60 * 60;

/** `Retry-After` above this many seconds cannot mean the minute: it is the day's limit. */
export const LONGEST_MINUTE_S = 60;
