import type { Failure } from 'n8n-workflow';
import { redirect, tooMany, type Fault, type FaultName } from '../../service/index.mts';
import type { OperationCase } from '../resources/operations.mts';

/** What a fault that lasts must lead to; errorTexts.md has what a person reads of it. */
type Result = {
	sent: Record<OperationCase['effect'], number>;
	cause: Failure['cause'];
	/** How often Response: Create added the response. */
	added: 0 | 1;
};

const sentOnce = { safe: 1, idempotent: 1, once: 1 };
const rejected: Result = { sent: sentOnce, added: 0, cause: 'configuration-invalid' };
const unauthorized: Result = { ...rejected, cause: 'credential-invalid' };
const dayUsedUp: Result = { ...rejected, cause: 'quota-exhausted' };
/** Refused by the limiter, so that nothing was done. */
const minuteUsedUp: Result = {
	sent: { safe: 10, idempotent: 10, once: 10 },
	added: 0,
	cause: 'rate-limited',
};
/** The trouble can pass, and the response may have been added. */
const failed: Result = {
	sent: { safe: 4, idempotent: 4, once: 1 },
	added: 0,
	cause: 'temporarily-unavailable',
};
const failedLate: Result = { ...failed, added: 1 };

const elsewhere = redirect('https://elsewhere.example/api/v1/forms', 307);

/** With the status of the reply that settled it; null where none came. */
const table: Array<[string, FaultName | Fault, string | null, Result]> = [
	['status 400', 'badRequest', '400', rejected],
	['status 401', 'unauthorized', '401', unauthorized],
	['status 403', 'forbidden', '403', rejected],
	['status 404', 'notFound', '404', rejected],
	['status 422 with messages on fields', 'unprocessable', '422', rejected],
	['status 429 of the minute', tooMany(30, 1), '429', minuteUsedUp],
	['status 429 of the day', 'tooManyDay', '429', dayUsedUp],
	['status 500', 'serverError', '500', failed],
	['status 502', 'badGateway', '502', failed],
	['status 502 after the service acted', 'gatewayAfter', '502', failedLate],
	['status 503', 'unavailable', '503', failed],
	['a reset before the service acted', 'dropBefore', null, failed],
	['a reset after the service acted', 'dropAfter', null, failedLate],
	['a body that is cut', 'cutBody', null, failedLate],
	['no reply, the service not acting', 'silentBefore', null, failed],
	['no reply, the service acting', 'silentAfter', null, failedLate],
	['a web page with 200', 'webPage', '200', rejected],
	['JSON that ends too early', 'malformedJson', '200', failed],
	['an empty body', 'emptyBody', '200', failedLate],
	['success: false with 200', 'failureWith200', '200', rejected],
	['a redirect to a login page', 'loginPage', '302', unauthorized],
	['a redirect to another host', elsewhere, '307', rejected],
];

export type FaultCase = (typeof faultCases)[number];

export const faultCases = table.map(([name, fault, httpCode, result]) => {
	return { name, fault, httpCode, ...result };
});
