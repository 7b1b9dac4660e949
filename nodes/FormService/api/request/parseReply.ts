import { attempt, isEmpty, isError, isNil, isObject, isString, uniq, clamp } from 'lodash';
import { DAY_MS, MINUTE_MS } from '../clock';
import { isRecord } from '../records';
import { isBlank, parseBoolean } from '../values';
import { REQUESTS_PER_DAY, type Endpoint } from '../endpoints';
import { createFailure, type RequestFailure } from '../failures';

/** A reply without its headers: `{success, message, data}` (docs/contract.md). */
type Envelope = {
	body: unknown;
	/** If the reply has no `data`, the whole body. */
	data: unknown;
	isFailure: boolean;
	hasErrors: boolean;
	message?: string;
};

/** Parses a reply. Undefined if the reply is not JSON. */
function parseEnvelope(text: string): Envelope | undefined {
	const body: unknown = attempt(JSON.parse, text);
	return isError(body) ? undefined : unwrapEnvelope(body);
}

export function unwrapEnvelope(body: unknown): Envelope {
	const { success, message, errors, data = body } = isRecord(body) ? body : {};
	// a list of texts, or texts or lists of texts by field
	const texts = isObject(errors) ? Object.values(errors).flat().filter(isString) : [];
	// Laravel's message repeats the first text: "Too long. (and 2 more errors)"
	const isRepetition = texts.some((text) => isString(message) && message.startsWith(`${text} (`));
	const sentences = (isRepetition ? texts : [message, ...texts]).filter(isString);
	return {
		body,
		data,
		// 0 means false, which must not pass for success
		isFailure: parseBoolean(success) === false,
		hasErrors: !isEmpty(errors),
		message: uniq(sentences.filter((text) => !isBlank(text))).join(' ') || undefined,
	};
}

/** Describes a value by names and types, without values: `an object with "id" (string)`. */
export function describeShape(value: unknown): string {
	if (isNil(value)) return String(value);
	if (Array.isArray(value)) return `a list with ${uniq(value.map(describeType)).join(', ')}`;
	if (!isRecord(value)) return `a ${typeof value}`;
	const attributes = Object.entries(value).slice(0, 20);
	const names = attributes.map(([name, entry]) => `"${name}" (${describeType(entry)})`);
	return `an object with ${names.join(', ') || 'nothing'}`;
}

function describeType(value: unknown): string {
	if (Array.isArray(value)) return 'list';
	return value === null ? 'null' : typeof value;
}

/** By lowercase name. */
export type ReplyHeaders = Readonly<Record<string, unknown>>;

/** A reply as it came. `text` is undefined if the body is too long. */
export type RawReply = { status: number; headers: ReplyHeaders; text?: string };

/** A reply as it was read. `requestFailure` says why the request failed, if it did. */
export type Reply = Partial<Pick<Envelope, 'body' | 'data' | 'message'>> & {
	headers: ReplyHeaders;
	requestFailure?: RequestFailure;
};

export function parseReply(
	reply: RawReply | RequestFailure,
	{ effect, url }: Endpoint,
	nowMs: number,
): Reply {
	// only a request that adds something can act twice
	const canActTwice = effect === 'nonIdempotent';
	if ('reason' in reply) {
		const mayHaveActed = canActTwice && reply.mayHaveActed;
		return { headers: {}, requestFailure: { ...reply, mayHaveActed } };
	}
	const { status, headers, text = '' } = reply;
	const envelope = parseEnvelope(text);
	const isUnconfirmed = effect !== 'safe' && envelope?.hasErrors;
	if (envelope !== undefined && isOk(status) && !envelope.isFailure && !isUnconfirmed) {
		return { headers, ...envelope };
	}
	// what the ID in the path identifies: "form" or "response"
	const noun = /\{(\w+)Id\}/.exec(url)?.[1];
	const failure = createReplyFailure(reply, envelope, noun, nowMs);
	const mayHaveActed = canActTwice && !isRejection(status, failure, envelope);
	return { headers, requestFailure: { ...failure, mayHaveActed } };
}

function isOk(status: number): boolean {
	return status >= 200 && status < 300;
}

function isServerError(status: number): boolean {
	return status >= 500 || status === 408;
}

/** Whether the service has not acted (docs/responses.md, "Never twice"). */
function isRejection(status: number, { reason }: RequestFailure, envelope?: Envelope): boolean {
	if (isOk(status)) return envelope?.isFailure ?? false;
	// a service in maintenance has not handled the request
	if (reason === 'unavailable') return true;
	return status >= 400 && !isServerError(status);
}

function createReplyFailure(
	reply: RawReply,
	envelope: Envelope | undefined,
	noun: string | undefined,
	nowMs: number,
): RequestFailure {
	const { status, headers, text } = reply;
	if (status === 429) return createRateLimitFailure(headers, nowMs);
	const retryAfterMs = parseRetryAfterMs(headers, nowMs);
	if (status === 503 && retryAfterMs !== undefined) {
		return createFailure('unavailable', { status, retryAtMs: nowMs + retryAfterMs });
	}
	if (text === undefined) return createFailure('replyTooLarge', { status });
	if (status === 401) return createFailure('tokenRejected', { status });
	const foreignReply = describeForeignReply(reply, noun);
	if (foreignReply !== undefined) {
		return createFailure('wrongAddress', { status, detail: foreignReply });
	}
	if (status === 404) return createFailure('notFound', { status, noun });
	const facts = { status, serverMessage: envelope?.message };
	if (status === 403) return createFailure('accessDenied', facts);
	if (isServerError(status)) return createFailure('serverError', facts);
	if (envelope !== undefined || !isOk(status)) return createFailure('rejected', facts);
	const detail = 'the reply is empty or ends too early';
	return createFailure('connectionFailed', { status, detail });
}

function describeForeignReply(
	{ status, headers, text = '' }: RawReply,
	noun?: string,
): string | undefined {
	const isRedirect = status >= 300 && status < 400;
	if (isRedirect) return `a redirect to ${String(headers.location || 'nowhere')}`;
	// a web page with another status, such as 413, does not count, because a proxy may have sent it
	const isWebPage = /^\s*</.test(text) && [200, 404, 405].includes(status);
	if (isWebPage) return `a web page (status ${status})`;
	return status === 404 && noun === undefined ? 'status 404' : undefined;
}

/** The service rounds `Retry-After` down to whole seconds. */
const RETRY_AFTER_MARGIN_MS = 1_000;

/** No limit of the service lasts longer than a day. */
const MAX_WAIT_MS = DAY_MS;

/** Parses seconds or a date, which the service's own clock has set. Undefined for anything else. */
function parseRetryAfterMs(headers: ReplyHeaders, nowMs: number): number | undefined {
	const text = String(headers['retry-after']);
	const servedAtMs = Date.parse(String(headers.date)) || nowMs;
	const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - servedAtMs;
	if (Number.isNaN(waitMs)) return undefined;
	return clamp(waitMs, 0, MAX_WAIT_MS) + RETRY_AFTER_MARGIN_MS;
}

/** The wait if the reply has no `Retry-After`. */
const MINUTE_WAIT_MS = 61_000;

/** A longer wait is for the daily limit. */
const MAX_MINUTE_WAIT_MS = 10 * MINUTE_MS;

export function createRateLimitFailure(headers: ReplyHeaders, nowMs: number): RequestFailure {
	const waitMs = parseRetryAfterMs(headers, nowMs) ?? MINUTE_WAIT_MS;
	const limit = Number(headers['x-ratelimit-limit']);
	const isDayLimit = limit === REQUESTS_PER_DAY || waitMs > MAX_MINUTE_WAIT_MS;
	const retryAtMs = nowMs + waitMs;
	return createFailure(isDayLimit ? 'dayLimit' : 'minuteLimit', { status: 429, retryAtMs });
}

/** What the codes of network errors mean, the first that matches, and whether the request may have arrived. */
const NETWORK_ERRORS = [
	{ codes: /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/, reason: 'connectionFailed', isSent: false },
	{ codes: /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/, reason: 'insecure', isSent: false },
	{ codes: /ERR_SSL|^EPROTO$/, reason: 'insecure', isSent: true },
	{ codes: /^(ECONNABORTED|ETIMEDOUT)$/, reason: 'timedOut', isSent: true },
] as const;

/** Matches the errors of n8n's SSRF protection and of the allowed domains by name, because n8n exports no class. */
const BLOCKING_CLASS = /^(Ssrf\w*|UserError|OperationalError|NodeOperationError)$/;

/** @param thrown what n8n's HTTP helper threw */
export function createTransportFailure(thrown: unknown): RequestFailure {
	const errors = collectCauses(thrown);
	const block = errors.find((error) => BLOCKING_CLASS.test(error.constructor.name));
	if (block !== undefined) return createFailure('blockedByN8n', { detail: block.message });
	// the innermost error is the error of the network
	const codes = errors.map((error) => String(error.code ?? ''));
	const code = codes.findLast((text) => text !== '') ?? '';
	const detail = code || (errors.at(-1)?.message ?? 'unknown error');
	const known = NETWORK_ERRORS.find((error) => error.codes.test(code));
	const { reason, isSent } = known ?? { reason: 'connectionFailed', isSent: true };
	return createFailure(reason, { detail, mayHaveActed: isSent });
}

/** The outermost error comes first. */
function collectCauses(error: unknown): Array<Error & { code?: unknown }> {
	return error instanceof Error ? [error, ...collectCauses(error.cause)] : [];
}
