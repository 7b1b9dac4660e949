import type { Failure } from 'n8n-workflow';
import { bodyOf, redirect, tooMany, type Fault, type FaultName } from '../../service/index.mts';
import type { OperationCase } from '../tables/operations.mts';

/** What a fault that lasts must lead to. What a person reads of it is in errorTexts.md. */
export type FaultCase = {
	name: string;
	fault: FaultName | Fault;
	/** How often the request is sent in all. */
	sent: Record<OperationCase['effect'], number>;
	/** Status of the reply that settled it; null where none came. */
	httpCode: string | null;
	cause: Failure['cause'];
	/** How often Response: Create added the response. */
	added: 0 | 1;
	/** So much work for the machine that not every operation is tried with it. */
	heavy?: boolean;
};

const once = { safe: 1, idempotent: 1, once: 1 };
/** The trouble can pass, and the response may have been added. */
const upToFour = { safe: 4, idempotent: 4, once: 1 };
/** Refused by the limiter, so that nothing was done. */
const upToTen = { safe: 10, idempotent: 10, once: 10 };

const rejected = { sent: once, added: 0, cause: 'configuration-invalid' } as const;
const unavailable = { sent: upToFour, cause: 'temporarily-unavailable' } as const;
const brokenOff = { ...unavailable, httpCode: null };
const silent = { ...brokenOff, sent: { safe: 2, idempotent: 2, once: 1 } };
const minute = { sent: upToTen, added: 0, httpCode: '429', cause: 'rate-limited' } as const;

/** What an operation gets beside its own parameters: heavy work takes a busy machine minutes. */
export const patience = ({ heavy }: FaultCase) =>
	heavy === true ? { requestOptions: { timeout: 600_000 } } : {};

/** Every fault of a reply or a connection that the stand-in can show, each lasting. */
export const faultCases: FaultCase[] = [
	{ name: 'status 400', fault: 'badRequest', ...rejected, httpCode: '400' },
	{
		name: 'status 401',
		fault: 'unauthorized',
		...rejected,
		cause: 'credential-invalid',
		httpCode: '401',
	},
	{ name: 'status 403', fault: 'forbidden', ...rejected, httpCode: '403' },
	{ name: 'status 404', fault: 'notFound', ...rejected, httpCode: '404' },
	{
		name: 'status 422 with messages on fields',
		fault: 'unprocessable',
		...rejected,
		httpCode: '422',
	},
	{ name: 'status 429 of the minute', fault: tooMany(60, 1), ...minute },
	{ name: 'status 429 with Retry-After: 0', fault: tooMany(60, 0), ...minute },
	{
		name: 'status 429 with Retry-After as a date',
		fault: tooMany(60, { dateIn: 2 }),
		...minute,
	},
	{
		name: 'status 429 of the day',
		fault: 'tooManyDay',
		...minute,
		sent: once,
		cause: 'quota-exhausted',
	},
	{ name: 'status 500', fault: 'serverError', ...unavailable, added: 0, httpCode: '500' },
	{ name: 'status 502', fault: 'badGateway', ...unavailable, added: 0, httpCode: '502' },
	{
		name: 'status 502 after the service acted',
		fault: 'gatewayAfter',
		...unavailable,
		added: 1,
		httpCode: '502',
	},
	{ name: 'status 503', fault: 'unavailable', ...unavailable, added: 0, httpCode: '503' },
	{ name: 'a reset before the service acted', fault: 'dropBefore', ...brokenOff, added: 0 },
	{ name: 'a reset after the service acted', fault: 'dropAfter', ...brokenOff, added: 1 },
	{ name: 'a body that is cut', fault: 'cutBody', ...brokenOff, added: 1 },
	{ name: 'no reply, the service not acting', fault: 'silentBefore', ...silent, added: 0 },
	{ name: 'no reply, the service acting', fault: 'silentAfter', ...silent, added: 1 },
	{ name: 'a web page with 200', fault: 'webPage', ...rejected, httpCode: '200' },
	{
		name: 'JSON that ends too early',
		fault: 'malformedJson',
		...unavailable,
		httpCode: '200',
		added: 0,
	},
	{ name: 'an empty body', fault: 'emptyBody', ...unavailable, httpCode: '200', added: 1 },
	{ name: 'success: false with 200', fault: 'failureWith200', ...rejected, httpCode: '200' },
	{ name: 'a body of 140 MB', fault: bodyOf(140), heavy: true, ...rejected, httpCode: '200' },
	{
		name: 'a redirect to a login page',
		fault: 'loginPage',
		...rejected,
		cause: 'credential-invalid',
		httpCode: '302',
	},
	{
		name: 'a redirect to another host',
		fault: redirect('https://elsewhere.example/api/v1/forms', 307),
		...rejected,
		httpCode: '307',
	},
];
