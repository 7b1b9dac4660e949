import { Form } from './form.mts';
import { N8n, possible, type Circumstances, type Outcome, type Parameters } from './n8n.mts';
import type { Sent } from './service.mts';
import { VirtualTime } from './time.mts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const START = Date.UTC(2026, 10, 21, 12) + 0.375;

/** One form, with every option at its default. */
export const settings: Parameters = {
	watch: { kind: 'chosen', formIds: ['A'] },
	events: ['responseCompleted'],
	condition: undefined,
	needsFields: false,
	downloadFiles: false,
	emitExisting: false,
	maxPerPoll: 100,
	requestsPerDay: 720,
};

/** A trigger, its forms and its time. */
export class World {
	readonly time = new VirtualTime(START);
	readonly forms: Record<string, Form> = {};
	readonly n8n: N8n;
	/** All that was sent so far. */
	readonly sent: Sent[] = [];

	constructor(
		ids: readonly string[],
		parameters: Partial<Parameters>,
		mode: N8n['mode'] = 'default',
	) {
		for (const id of ids) {
			this.forms[id] = new Form(id);
			this.forms[id].submit(false, START - HOUR_MS);
		}
		this.n8n = new N8n(mode, possible({ ...settings, ...parameters }), this.forms, this.time);
	}

	/** A tick so long after the last one. */
	async tick(afterMs: number, circumstances: Circumstances = {}): Promise<Outcome> {
		this.time.pass(afterMs);
		return this.noted(await this.n8n.tick(circumstances));
	}

	async publish(circumstances: Circumstances = {}): Promise<Outcome> {
		return this.noted(await this.n8n.activate('activate', circumstances));
	}

	private noted(outcome: Outcome): Outcome {
		this.sent.push(...outcome.sent);
		return outcome;
	}
}

export const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `F${index}`);
