import { afterEach } from 'vitest';
import { type Service, type ServiceOptions, startService } from './index.mts';

/** The headers that all requests carry (section 4). */
export const headersFor = (token: string) => ({
	authorization: `Bearer ${token}`,
	accept: 'application/json',
	'content-type': 'application/json',
});

/** A client of a running service that sends what section 4 asks for. */
export function clientOf(service: Service, token = service.token) {
	const send = async (path: string, init: RequestInit = {}) => {
		const reply = await fetch(service.baseUrl + path, {
			redirect: 'manual',
			headers: headersFor(token),
			...init,
		});
		return { status: reply.status, headers: reply.headers, body: await reply.json() };
	};
	return {
		get: async (path: string) => await send(path),
		post: async (path: string, body: unknown) =>
			await send(path, { method: 'POST', body: JSON.stringify(body) }),
	};
}

/** Starts a service for one test; it ends with the test. */
export async function serviceForTest(options?: ServiceOptions) {
	const service = await startService(options);
	running.push(service);
	return { service, ...clientOf(service) };
}

const running: Service[] = [];

afterEach(async () => {
	await Promise.all(running.splice(0).map(async (service) => await service.close()));
});
