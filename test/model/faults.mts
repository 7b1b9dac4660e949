import type { Failure, INode } from 'n8n-workflow';
import { serviceError } from '../../nodes/FormService/api/errors.ts';

/** How a look can fail, as the request path reports it; `sent` is whether a request left at all. */
export type Fault = { status?: number; cause?: Failure['cause']; waitMs?: number; sent: boolean };

const temporary = 'temporarily-unavailable';
const configuration = 'configuration-invalid';

/** The faults of a service, and two of the package's own: a gate that is closed, and a bug. */
export const faults: Record<string, Fault> = {
	badRequest: { status: 400, cause: configuration, sent: true },
	unauthorized: { status: 401, cause: 'credential-invalid', sent: true },
	forbidden: { status: 403, cause: configuration, sent: true },
	notFound: { status: 404, cause: configuration, sent: true },
	unprocessable: { status: 422, cause: configuration, sent: true },
	minuteUsedUp: { status: 429, cause: 'rate-limited', waitMs: 20_000, sent: true },
	dayUsedUp: { status: 429, cause: 'quota-exhausted', waitMs: 8 * 3_600_000, sent: true },
	dayKnownToBeUsedUp: { status: 429, cause: 'quota-exhausted', waitMs: 8 * 3_600_000, sent: false },
	serverError: { status: 500, cause: temporary, sent: true },
	badGateway: { status: 502, cause: temporary, sent: true },
	refusedConnection: { cause: temporary, sent: true },
	brokenConnection: { cause: temporary, sent: true },
	noReply: { cause: temporary, sent: true },
	certificate: { cause: configuration, sent: true },
	webPage: { status: 200, cause: configuration, sent: true },
	cutBody: { status: 200, cause: temporary, sent: true },
	successFalse: { status: 200, cause: configuration, sent: true },
	defect: { sent: true },
};

export function errorOf(node: INode, { status, cause, waitMs }: Fault): Error {
	if (cause === undefined) return new TypeError('Cannot read properties of undefined');
	const failure = (waitMs === undefined ? { cause } : { cause, retryAfterMs: waitMs }) as Failure;
	return serviceError(node, {
		message: 'It failed',
		httpCode: status === undefined ? undefined : String(status),
		failure,
	});
}
