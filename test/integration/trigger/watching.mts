import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { onTestFinished } from 'vitest';
import type { Service } from '../../service/index.mts';
import { locator, n8nFor, type N8n, type PollOptions } from '../harness.mts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A scheduled poll of n8n's durable mode: nobody waits for its result. */
export const tick = { activation: 'update', budgetMs: 36_000 } as const;

let workflows = 0;
let tokens = 0;

/** An n8n whose service answers as the test says, for one test. */
export async function n8nOf(answer: RequestListener): Promise<N8n> {
	const server = createServer(answer);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	const { port } = server.address() as AddressInfo;
	return n8nFor({ accessToken: `token-${++tokens}`, baseUrl: `http://127.0.0.1:${port}` });
}

/**
 * A workflow of its own that watches a form, with the static data that n8n keeps for it. Each poll
 * goes by a copy of what was saved, as after a restart of n8n or with durable cursors. The
 * allowance is so large that every poll may send a request.
 */
export function watch(n8n: N8n, formId: string, parameters: INodeParameters = {}) {
	let workflowId = `watching-${++workflows}`;
	let current = n8n;
	let staticData: IDataObject = {};
	let isDiscarding = false;
	const { options, ...rest } = parameters;
	const all: INodeParameters = {
		formId: locator(formId),
		events: ['responseCompleted'],
		simplify: true,
		options: { requestsPerDay: 8_640_000_000, ...(options as INodeParameters) },
		...rest,
	};
	return {
		/** What one poll starts the workflow with. */
		async poll(
			poll: PollOptions = {},
			changed: INodeParameters = {},
		): Promise<INodeExecutionData[]> {
			const saved = JSON.parse(JSON.stringify(staticData)) as IDataObject;
			const given = { workflowId, staticData: saved, ...poll };
			const result = await current.runPoll({ ...all, ...changed }, given);
			if (!isDiscarding) staticData = JSON.parse(JSON.stringify(result.staticData)) as IDataObject;
			isDiscarding = false;
			return result.items ?? [];
		},
		/** What n8n has saved. */
		saved: () => staticData,
		/** n8n restarts: its process remembers nothing of this trigger. */
		restart() {
			workflowId = `watching-${++workflows}`;
		},
		/** n8n discards what the next poll gives. */
		discard() {
			isDiscarding = true;
		},
		/** Gives the workflow another credential. */
		use(other: N8n) {
			current = other;
		},
	};
}

/** A form with one field, "Name". */
export function newForm({ store }: Service, options: { trackIncomplete?: boolean } = {}): string {
	return store.addForm({ name: 'Watched', fields: [{ label: 'Name' }], ...options }).id;
}

/** The names that items were submitted with. */
export function namesIn(items: INodeExecutionData[]): unknown[] {
	return items.map(({ json }) => (json.answers as IDataObject).Name);
}
