import type { IDataObject } from 'n8n-workflow';
import { serviceError } from '../../../nodes/FormService/api/errors.ts';
import { Memory } from '../../../nodes/FormService/trigger/memory.ts';
import { poll } from '../../../nodes/FormService/trigger/poll.ts';
import { MINUTE_MS } from '../../../nodes/FormService/trigger/pollSchedule.ts';
import type { Trigger } from '../../../nodes/FormService/trigger/world.ts';
import { node, quietWorld } from './world.mts';

/** After this time, a look that went well is followed by the next. */
export const DUE_MS = 2 * MINUTE_MS;

/** A tick of n8n for a trigger with the defaults of the node. */
export const ticking: Trigger = {
	key: 'workflow:node',
	account: 'account',
	source: 'source',
	events: ['responseCompleted'],
	emitExisting: false,
	maxPerPoll: 100,
	requestsPerDay: 720,
	occasion: 'tick',
	budgetMs: 36_000,
};

/** A trigger on a form, in a process of its own. */
export class Polling {
	readonly records: IDataObject[] = [];
	/** How many of the records a look can read. */
	readable = Infinity;
	/** The number of the response whose file cannot be had now. */
	withoutFile?: number;
	tokenIsRefused = false;
	nodeName = node.name;
	looks = 0;
	private now = Date.UTC(2026, 10, 21);
	private readonly memory = new Memory();

	/** One tick after so many milliseconds; gives the numbers of the responses that it delivers. */
	async tick(
		after: number,
		staticData: IDataObject,
		changes: Partial<Trigger> = {},
	): Promise<unknown[]> {
		this.now += after;
		const trigger: Trigger = { ...ticking, ...changes };
		const items = await poll(trigger, staticData, this.memory, this.world());
		return (items ?? []).map(({ json }) => json.number);
	}

	private world() {
		return quietWorld({
			node: { ...node, name: this.nodeName },
			now: () => this.now,
			list: async () => {
				this.looks += 1;
				if (this.tokenIsRefused) {
					const failure = { cause: 'credential-invalid' } as const;
					throw serviceError(node, { message: 'The token is refused', failure });
				}
				const complete = this.records.length <= this.readable;
				return { records: this.records.slice(0, this.readable), complete };
			},
			toItem: async (record) => {
				if (record.number === this.withoutFile) {
					throw serviceError(node, { message: 'No file', httpCode: '503' });
				}
				return { json: record };
			},
		});
	}
}
