import { sleep } from 'n8n-workflow';

type Urgency = 'prompt' | 'bulk';

/** Lets so many pieces of work be under way at a time. The others wait: `prompt` ones go first. */
export class Slots {
	private readonly waiting: Record<Urgency, Array<() => void>> = { prompt: [], bulk: [] };

	constructor(private free: number) {}

	/** Does the work when a slot is free, and gives what it gives. */
	async use<T>(urgency: Urgency, work: () => Promise<T>): Promise<T> {
		if (this.free > 0) this.free--;
		else await new Promise<void>((resolve) => this.waiting[urgency].push(resolve));
		try {
			return await work();
		} finally {
			void this.handOn();
		}
	}

	private async handOn(): Promise<void> {
		// a moment later: whoever did the work may now give up what else it has waiting
		await sleep(0);
		const next = this.waiting.prompt.shift() ?? this.waiting.bulk.shift();
		if (next === undefined) this.free++;
		else next();
	}
}
