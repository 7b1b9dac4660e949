import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { beforeEach } from 'vitest';
import { status, success } from '../../service/index.mts';
import { locator, time, type N8n, type PollOptions } from '../harness.mts';
import { createWorld, type World } from '../world.mts';

export { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time.mts';

/** A scheduled poll of n8n's durable mode: nobody waits for its result. */
export const tick = { activation: 'update', budgetMs: 36_000 } as const;

let workflows = 0;

/**
 * A workflow of its own that watches a form, with the static data that n8n keeps for it. Each poll begins
 * from a copy of what was saved, as after a restart of n8n or with durable cursors. Requests per Day is so
 * large that every poll may send a request.
 */
export function watch(n8n: N8n, formId: string, parameters: INodeParameters = {}) {
	const workflowId = `watching-${++workflows}`;
	let staticData: IDataObject = {};
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
		async poll(poll: PollOptions = {}, changed: INodeParameters = {}) {
			const saved = copy(staticData);
			const given = { workflowId, staticData: saved, ...poll };
			const result = await n8n.runPoll({ ...all, ...changed }, given);
			staticData = copy(result.staticData);
			return result.items ?? [];
		},
		saved: () => staticData,
	};
}

/** A new form with one field, "Name", and what people do to it. */
export function addForm({ service: { store, requests } }: World, name = 'Watched') {
	const form = store.addForm({ name, fields: [{ label: 'Name' }], trackIncomplete: true }).id;
	const submit = (Name: string, incomplete = false) =>
		store.addResponse(form, { answers: { Name }, incomplete }).uuid;
	const countRequests = () => requests.filter(({ path }) => path.includes(form)).length;
	return { form, submit, countRequests };
}

/** A trigger on a new form that has begun. */
export async function begin(world: World, parameters: INodeParameters = {}) {
	const added = addForm(world);
	const trigger = watch(world.n8n, added.form, parameters);
	await trigger.poll();
	return { ...added, trigger };
}

/** Lists that services show to triggers, each trigger with a service of its own. They have the form `form`. */
export function serveLists() {
	const lists = {
		responses: [] as IDataObject[],
		fields: [] as IDataObject[],
		forms: [] as IDataObject[],
		areFieldsDown: false,
		/** A trigger on the form: what its first poll gives, how it polls later, and the requests. */
		async publish(parameters: INodeParameters = {}) {
			const { service, n8n } = await createWorld();
			const { faults, requests } = service;
			const fields = () => (lists.areFieldsDown ? status(503, 'Down') : success(lists.fields));
			faults.set({ fault: () => success(lists.responses), match: { path: /^\/responses\// } });
			faults.set({ fault: fields, match: { path: /\/fields$/ } });
			faults.set({ fault: () => success(lists.forms), match: { path: /\/forms$/ } });
			const trigger = watch(n8n, 'form', parameters);
			const poll = async (changed: INodeParameters = {}, given: PollOptions = tick) =>
				(await trigger.poll(given, changed)).map(({ json }) => json);
			return { first: await poll({}, {}), poll, requests };
		},
	};
	beforeEach(() => {
		const forms = [{ id: 'form', name: 'A', created_at: '2026-11-21' }];
		const fields = [{ uuid: 'f1', label: 'Name' }];
		Object.assign(lists, { responses: [], fields, forms, areFieldsDown: false });
	});
	return lists;
}

export function namesIn(items: INodeExecutionData[]): unknown[] {
	return items.map(({ json }) => (json.answers as IDataObject).Name);
}

/** Polls, so long after one another: the names that they deliver, and the errors that people see. */
export async function pollFor(
	trigger: ReturnType<typeof watch>,
	polls: number,
	stepMs: number,
	changed?: INodeParameters,
) {
	const names: unknown[] = [];
	const errors: Array<Error & { description?: string }> = [];
	for (let poll = 0; poll < polls; poll++) {
		await time.sleep(stepMs);
		const items = await trigger.poll(tick, changed).catch((error: Error) => {
			errors.push(error);
			return [];
		});
		names.push(...namesIn(items));
	}
	return { names, errors };
}

const copy = (data: IDataObject) => JSON.parse(JSON.stringify(data)) as IDataObject;
