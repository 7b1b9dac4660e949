import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startProcess } from './process.mts';
import { HOUR_MS, MINUTE_MS, World } from './world.mts';

/** A machine with a clock of the day, which can be set, and one that stands still while it sleeps. */
class Machine {
	readonly world: World;
	private slept = 0;
	private skew = 0;

	constructor(world: World) {
		this.world = world;
	}

	readonly wall = () => this.world.time.actual() + this.skew;
	readonly steady = () => this.world.time.actual() - this.slept - performance.timeOrigin;

	sleep(ms: number): void {
		this.slept += ms;
		this.world.time.pass(ms);
	}

	set(ms: number): void {
		this.skew += ms;
	}
}

/** Minutes of ticks until one that does what is asked for. */
async function minutesUntil(world: World, isIt: (done: Done) => boolean): Promise<number> {
	for (let minutes = 1; minutes < 2_000; minutes++) {
		if (isIt(await world.tick(MINUTE_MS))) return minutes;
	}
	return Infinity;
}

type Done = Awaited<ReturnType<World['tick']>>;

const hasSent = ({ sent }: Done) => sent.length > 0;

describe("The trigger follows the machine's clock", () => {
	let machine: Machine;

	beforeEach(() => {
		const world = new World(['A'], { events: ['responseAbandoned'] });
		machine = new Machine(world);
		const { sleep, timeout } = world.time;
		world.n8n.process = startProcess({ sleep, timeout });
		vi.spyOn(Date, 'now').mockImplementation(() => machine.wall());
		vi.spyOn(performance, 'now').mockImplementation(() => machine.steady());
	});

	afterEach(() => vi.restoreAllMocks());

	it('after eight hours of sleep: what was abandoned meanwhile comes within minutes', async () => {
		const { world } = machine;
		await world.publish();
		world.forms.A.submit(true, world.time.actual());
		await minutesUntil(world, hasSent);
		for (let hour = 0; hour < 17; hour++) await world.tick(HOUR_MS);
		machine.sleep(8 * HOUR_MS);
		expect(await minutesUntil(world, ({ items }) => items.length > 0)).toBeLessThanOrEqual(5);
	});

	it('after eight hours of sleep: it polls within minutes', async () => {
		const { world } = machine;
		await world.publish();
		await minutesUntil(world, hasSent);
		machine.sleep(8 * HOUR_MS);
		expect(await minutesUntil(world, hasSent)).toBeLessThanOrEqual(5);
	});

	it.each([8, 3, 1 / 60])(
		'set back by %d hours: no wait is longer by more than that',
		async (hours) => {
			const { world } = machine;
			await world.publish();
			await minutesUntil(world, hasSent);
			machine.set(-hours * HOUR_MS);
			expect(await minutesUntil(world, hasSent)).toBeLessThanOrEqual(hours * 60 + 5);
			expect(await minutesUntil(world, hasSent)).toBeLessThanOrEqual(5);
		},
	);

	it('set forward by eight hours and back: it goes on as before', async () => {
		const { world } = machine;
		await world.publish();
		await minutesUntil(world, hasSent);
		machine.set(8 * HOUR_MS);
		expect(await minutesUntil(world, hasSent)).toBeLessThanOrEqual(5);
		machine.set(-8 * HOUR_MS);
		expect(await minutesUntil(world, hasSent)).toBeLessThanOrEqual(8 * 60 + 5);
	});
});
