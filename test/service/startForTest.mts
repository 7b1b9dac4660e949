import { afterEach } from 'vitest';
import { type Service, type ServiceOptions, startService } from './index.mts';

const running: Service[] = [];
afterEach(async () => {
	await Promise.all(running.splice(0).map(async (service) => await service.close()));
});

/** Starts a service that ends with the test, and a client that sends what section 4 asks for. */
export async function startForTest(options?: ServiceOptions) {
	const service = await startService(options);
	running.push(service);
	const send = async (path: string, init: RequestInit = {}, token = service.token) => {
		const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
		const request = { headers: { ...headers, 'content-type': 'application/json' }, ...init };
		return await fetch(service.baseUrl + path, { redirect: 'manual', ...request });
	};
	const get = async (path: string) => {
		const reply = await send(path);
		return { status: reply.status, headers: reply.headers, body: await reply.json() };
	};
	const post = async (path: string, data: unknown) => {
		const reply = await send(path, { method: 'POST', body: JSON.stringify(data) });
		return { status: reply.status, body: await reply.json() };
	};
	return { service, send, get, post };
}
