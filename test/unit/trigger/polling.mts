import type { IDataObject, INode } from 'n8n-workflow';
import { serviceError } from '../../../nodes/FormService/api/errors.ts';
import type { Dependencies, Trigger } from '../../../nodes/FormService/trigger/dependencies.ts';
import { Memory } from '../../../nodes/FormService/trigger/memory.ts';
import { poll } from '../../../nodes/FormService/trigger/poll.ts';
import { DAY_MS, MINUTE_MS } from '../../../nodes/FormService/trigger/schedule.ts';

/** After this time, a poll that went well is followed by the next. */
export const DUE_MS = 2 * MINUTE_MS;

export const node: INode = {
	id: 'node-1',
	name: 'Trigger',
	type: 'n8n-nodes-formservice.formServiceTrigger',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** A poll of n8n for a trigger on one form with the defaults of the node. */
export const ticking: Trigger = {
	key: 'workflow:node',
	account: 'account',
	service: 'service',
	watch: { kind: 'chosen', formIds: ['form'] },
	names: new Map(),
	events: ['responseCompleted'],
	abandonedAfterMs: DAY_MS,
	conditions: { match: 'all', conditions: [], zone: 'utc' },
	emitExisting: false,
	maxPerPoll: 100,
	requestsPerDay: 720,
	needsFields: false,
	reason: 'tick',
	budgetMs: 36_000,
};

/** A trigger on another form. */
export const onForm = (id: string) => ({ watch: { kind: 'chosen', formIds: [id] } }) as const;

export const record = (number: number): IDataObject => ({ uuid: `response-${number}`, number });

/**
 * Dependencies whose items are the records, in which nothing fails and no time goes by; and their log.
 *
 * @param sends whether each listing counts as a request; false where a change counts its own
 */
export function quiet(changes: Partial<Dependencies> = {}): Dependencies & { logged: string[] } {
	const logged: string[] = [];
	let requests = 0;
	const { listResponses = async () => ({ records: [], complete: true }), ...others } = changes;
	return {
		node,
		logged,
		now: () => 0,
		log: { info: (text) => logged.push(text), warn: (text) => logged.push(text) },
		async listResponses(formId, goOn) {
			requests += 1;
			return await listResponses(formId, goOn);
		},
		listFields: async () => ({ records: [], complete: true }),
		listForms: async () => ({ records: [], complete: true }),
		requestsSent: () => requests,
		toItem: async ({ record: json }) => ({ json }),
		toItemWithoutFiles: async ({ record: json }, reason) => ({ json: { ...json, reason } }),
		...others,
	};
}

/** A trigger on a form, in a process of its own. */
export class Polling {
	readonly records: IDataObject[] = [];
	/** How many of the records a poll can read. */
	readable = Infinity;
	/** The number of the response whose file cannot be had now. */
	withoutFile?: number;
	tokenIsRefused = false;
	nodeName = node.name;
	polls = 0;
	private now = Date.UTC(2026, 10, 21);
	private readonly memory = new Memory();

	/** One poll after so many milliseconds; gives the numbers of the responses that it delivers. */
	async tick(
		after: number,
		staticData: IDataObject,
		changes: Partial<Trigger> = {},
	): Promise<unknown[]> {
		this.now += after;
		const trigger: Trigger = { ...ticking, ...changes };
		const items = await poll(trigger, staticData, this.memory, this.dependencies());
		return (items ?? []).map(({ json }) => json.number);
	}

	private dependencies() {
		return quiet({
			node: { ...node, name: this.nodeName },
			now: () => this.now,
			listResponses: async () => {
				this.polls += 1;
				if (this.tokenIsRefused) {
					const failure = { cause: 'credential-invalid' } as const;
					throw serviceError(node, { message: 'The token is refused', failure });
				}
				const complete = this.records.length <= this.readable;
				return { records: this.records.slice(0, this.readable), complete };
			},
			toItem: async ({ record: json }, onFileError) => {
				if (json.number === this.withoutFile) {
					onFileError(serviceError(node, { message: 'No file', httpCode: '503' }));
				}
				return { json };
			},
		});
	}
}
