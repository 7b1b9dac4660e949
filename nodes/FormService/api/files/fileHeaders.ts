import type { Headers } from '../gate/rateHeaders';

/** The media type without its parameters, where the server says more than "some bytes". */
export function mimeTypeOf(headers: Headers): string | undefined {
	const type = String(headers['content-type'] ?? '')
		.split(';')[0]
		.trim()
		.toLowerCase();
	return /^[\w.+-]+\/[\w.+-]+$/.test(type) && type !== 'application/octet-stream'
		? type
		: undefined;
}
