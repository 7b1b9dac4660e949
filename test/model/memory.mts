/**
 * Measures the memory of a process in which triggers poll for long, see memory.test.mts. Needs
 * --expose-gc and the name of a measure. Prints bytes as JSON.
 */
import { Form } from './form.mts';
import { HOUR_MS, MINUTE_MS, START, World } from './world.mts';

function heap(): number {
	for (let pass = 0; pass < 3; pass++) globalThis.gc!();
	return process.memoryUsage().heapUsed;
}

/** How much each of so many steps leaves in memory, from half of them on: until then, functions are compiled. */
async function slopeOf(steps: number, step: (at: number) => Promise<unknown>): Promise<number> {
	let first = 0;
	for (let at = 0; at < steps; at++) {
		await step(at);
		if (at === Math.floor(steps / 2)) first = heap();
	}
	return (heap() - first) / (steps / 2);
}

/** Days of polls, in which responses come and the machine's clock is set. */
async function ofPolls(polls: number): Promise<number> {
	const world = new World(['A', 'B'], { watch: { kind: 'all', except: [] } });
	await world.publish();
	const slope = await slopeOf(polls, async (poll) => {
		if (poll % 10 === 0) world.forms.A.submit(false, world.time.actual());
		if (poll % 10 === 9) world.forms.A.kept.at(-1)!.deleted = true;
		if (poll % 500 === 499) world.time.set([8, -8, -1, 1][Math.floor(poll / 500) % 4] * HOUR_MS);
		await world.tick(MINUTE_MS);
		world.sent.length = 0;
	});
	await world.tick(MINUTE_MS);
	return slope;
}

/** One poll for each of many tokens, as where a credential is an expression. */
async function ofTokens(tokens: number): Promise<number> {
	const world = new World(['A'], {});
	await world.publish();
	const slope = await slopeOf(tokens, async (token) => {
		world.n8n.accessToken = `token-${token}`;
		await world.tick(HOUR_MS);
		world.sent.length = 0;
	});
	await world.tick(HOUR_MS);
	return slope;
}

/** What the process keeps of a large form whose responses are delivered a hundred at a time. */
async function ofBacklog(responses: number): Promise<{ kept: number; delivered: number }> {
	const world = new World([], { emitExisting: true });
	world.forms.A = new Form('A');
	world.forms.A.text = 'x'.repeat(150);
	for (let number = 0; number < responses; number++) world.forms.A.submit(false, START - HOUR_MS);
	await new World(['A'], {}).publish();
	const before = heap();
	let delivered = (await world.publish()).items.length;
	for (let poll = 0; poll < 3; poll++) {
		delivered += (await world.tick(10_000)).items.length;
		world.sent.length = 0;
	}
	const kept = heap() - before;
	delivered += (await world.tick(10_000)).items.length;
	return { kept, delivered };
}

const measures = {
	polls: async () => await ofPolls(10_000),
	tokens: async () => await ofTokens(2_000),
	backlog: async () => await ofBacklog(100_000),
};
const [name] = process.argv.slice(2) as [keyof typeof measures];
console.log(JSON.stringify(await measures[name]()));
