import type { TriggerEvent } from '../../nodes/FormService/trigger/seen.ts';
import type { Kept } from './form.mts';
import type { Event, Parameters } from './n8n.mts';

/** What a person would say that the trigger knows of one response, and the day since which it is gone. */
type Known = { complete: boolean; goneSince?: number };

/** All that is known of one form since its first look. */
export type Knowledge = { form: string; responses: Map<string, Known> };

export const DAY_MS = 86_400_000;
const REMEMBERED_DAYS = 30;

/** In place of a form: the state cannot be read, so that the next look is a baseline in any case. */
export const DAMAGED = 'damaged';

/**
 * What the trigger should know and do, in the words of its description: one map, UUIDs in full, no
 * packing, no process, no overlap. Beside it, what of that n8n has in its database.
 */
export class Model {
	readonly mode: 'default' | 'durable';
	parameters: Parameters;
	active = false;
	known: Knowledge | undefined;
	saved: Knowledge | undefined;
	/** Events that the last look found and had no room for. */
	postponed: Event[] = [];
	/** Events that n8n lost or doubled between two writes of its own, which is allowed in its default mode. */
	readonly excused = new Set<string>();
	/** Events that were delivered since they last could be, by `form uuid event`. */
	readonly delivered = new Set<string>();

	constructor(mode: 'default' | 'durable', parameters: Parameters) {
		this.mode = mode;
		this.parameters = parameters;
	}

	/** Whether the next look is a baseline, which delivers nothing. */
	isBaseline(): boolean {
		if (this.known?.form === DAMAGED) return true;
		return this.known?.form !== this.parameters.form && !this.parameters.emitExisting;
	}

	/** The events that a look has to deliver, oldest first; takes no note of them. */
	found(shown: readonly Kept[]): Event[] {
		if (this.isBaseline()) return [];
		const { events } = this.parameters;
		const known = this.responses();
		return inOrder(shown).flatMap(({ uuid, incomplete }) => {
			const before = known.get(uuid);
			const event: TriggerEvent = incomplete ? 'responseStarted' : 'responseCompleted';
			const isNew = incomplete ? before === undefined : before?.complete !== true;
			return isNew && events.includes(event) ? [{ uuid, event }] : [];
		});
	}

	/** Takes note of a look that delivered the first of the events that it found. */
	look(shown: readonly Kept[], complete: boolean, delivered: readonly Event[], now: number): void {
		const day = Math.floor(now / DAY_MS);
		const found = this.found(shown);
		const later = new Set(found.slice(delivered.length).map(({ uuid }) => uuid));
		const isFirst = this.known?.form !== this.parameters.form;
		const responses = new Map(isFirst ? [] : this.known!.responses);
		for (const [uuid, before] of responses) {
			const isShown = shown.some((response) => response.uuid === uuid);
			const { complete: wasComplete, goneSince = day } = before;
			if (isShown) responses.set(uuid, { complete: wasComplete });
			else if (complete && day - goneSince > REMEMBERED_DAYS) this.forget(responses, uuid);
			else if (complete) responses.set(uuid, { complete: wasComplete, goneSince });
		}
		for (const { uuid, incomplete } of inOrder(shown)) {
			if (later.has(uuid)) continue;
			const isComplete = !incomplete || responses.get(uuid)?.complete === true;
			responses.set(uuid, { complete: isComplete });
		}
		this.known = { form: this.parameters.form, responses };
		this.postponed = found.slice(delivered.length);
	}

	/** Takes note of events that were postponed and are delivered now. */
	deliverPostponed(count: number): void {
		const responses = new Map(this.responses());
		for (const { uuid, event } of this.postponed.slice(0, count)) {
			responses.set(uuid, { complete: event === 'responseCompleted' });
		}
		this.known = { form: this.parameters.form, responses };
		this.postponed = this.postponed.slice(count);
	}

	/** The process ends: what is not saved is gone. */
	crash(): void {
		this.known = this.saved;
		this.postponed = [];
	}

	/** The default mode keeps what is known by the node's name; the process remembers nothing of it. */
	rename(): void {
		if (this.mode === 'default') Object.assign(this, { saved: undefined, postponed: [] });
		this.known = this.saved;
	}

	keyOf({ uuid, event }: Event): string {
		return `${uuid} ${event}`;
	}

	private responses(): Map<string, Known> {
		return this.known?.form === this.parameters.form ? this.known.responses : new Map();
	}

	/** After 30 days, a response that comes back is a new one. */
	private forget(responses: Map<string, Known>, uuid: string): void {
		responses.delete(uuid);
		for (const event of ['responseCompleted', 'responseStarted'] as const) {
			this.delivered.delete(this.keyOf({ uuid, event }));
		}
	}
}

/** Each response once, in the order in which they were submitted. A complete copy counts for more. */
function inOrder(shown: readonly Kept[]): Kept[] {
	const byNumber = new Map<number, Kept>();
	for (const response of shown) {
		const other = byNumber.get(response.number);
		if (other === undefined || other.incomplete) byNumber.set(response.number, response);
	}
	return [...byNumber.values()].sort((left, right) => left.number - right.number);
}
