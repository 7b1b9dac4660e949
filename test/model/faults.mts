/** How a request can fail: by a reply, by a broken connection, or by no reply at all. */
export type Fault =
	| { status: number; headers?: Record<string, string>; body: string }
	| { code: string; message: string }
	| { hangs: true };

const message = (text: string) => JSON.stringify({ success: false, message: text });
const HTML = { 'content-type': 'text/html' };

/** The faults of a service and of the way to it. */
export const faults: Record<string, Fault> = {
	badRequest: { status: 400, body: message('Bad request') },
	unauthorized: { status: 401, body: message('Unauthenticated.') },
	forbidden: { status: 403, body: message('No access to the requested resource.') },
	notFound: { status: 404, body: message('Not found') },
	unprocessable: { status: 422, body: message('Invalid') },
	minuteUsedUp: {
		status: 429,
		headers: {
			'retry-after': '20',
			'x-ratelimit-limit': '60',
			'x-ratelimit-remaining': '0',
		},
		body: message('Too Many Attempts.'),
	},
	dayUsedUp: {
		status: 429,
		headers: {
			'retry-after': '28800',
			'x-ratelimit-limit': '1440',
			'x-ratelimit-remaining': '0',
		},
		body: message('Too Many Attempts.'),
	},
	serverError: { status: 500, body: message('Server error') },
	badGateway: { status: 502, headers: HTML, body: '<html><body>Bad gateway</body></html>' },
	refusedConnection: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' },
	brokenConnection: { code: 'ECONNRESET', message: 'socket hang up' },
	noReply: { hangs: true },
	certificate: { code: 'CERT_HAS_EXPIRED', message: 'certificate has expired' },
	webPage: { status: 200, headers: HTML, body: '<!doctype html><title>Log in</title>' },
	login: { status: 302, headers: { location: '/login' }, body: '' },
	cutBody: { status: 200, body: '{"success":true,"data":[{"uuid":"A-1","numb' },
	nothing: { status: 200, body: '' },
	successFalse: { status: 200, body: message('It failed') },
};
