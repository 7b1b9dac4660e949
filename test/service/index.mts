import { setTimeout } from 'node:timers/promises';
import { createFaults } from './faults/faults.mts';
import { API_PREFIX } from './hooks.mts';
import type { Parts, Service, ServiceOptions } from './parts.mts';
import { DEMO_TOKEN, seed } from './demo/demoForms.mts';
import { buildServer } from './server.mts';
import { createShapes } from './specification/shapes.mts';
import { createStore } from './store.mts';

export { answer, bodyOf, redirect, slow, status, success, tooMany } from './faults/faultKinds.mts';
export type { Fault } from './faults/faultKinds.mts';
export { type FaultName, faultTable } from './faults/faultTable.mts';
export type { RecordedRequest, Service, ServiceOptions } from './parts.mts';
export { demoForms } from './demo/demoForms.mts';
export type { Shapes } from './specification/shapes.mts';

async function waitReally(milliseconds: number): Promise<void> {
	if (Number.isFinite(milliseconds)) await setTimeout(milliseconds);
	else await new Promise<never>(() => {});
}

/** Starts the stand-in. It listens on this machine only. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
	const { now = Date.now, token = DEMO_TOKEN, perMinute = 60, perDay = 1440 } = options;
	const store = createStore(now);
	if (options.seed ?? true) seed(store, token, now);
	else store.addAccount({ tokens: [token] });

	let url = '';
	const parts: Parts = {
		store,
		now,
		shapes: createShapes(),
		faults: createFaults(),
		limits: { perMinute, perDay },
		usage: new Map(),
		requests: [],
		visits: [],
		wait: options.wait ?? waitReally,
		latency: options.latency ?? (() => 0),
		secret: options.secret,
		origin: () => url,
	};
	const server = buildServer(parts);
	url = await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
	const { requests, visits, faults, shapes } = parts;
	return {
		...{ url, baseUrl: url + API_PREFIX, token },
		...{ requests, visits, store, faults, shapes },
		close: async () => await server.close(),
	};
}
