import { range } from 'lodash';
import { expect, it } from 'vitest';
import { formatTime } from '../../../../nodes/FormService/api/errorTexts.ts';
import { demoForms } from '../../../service/index.mts';
import { locator, time } from '../../harness.mts';
import { DAY_MS } from '../../../time.mts';
import { createWorld, pathsOf, type World } from '../../world.mts';
import { addEach, numbered } from '../adding.mts';

const { contact, survey } = demoForms;

it('150 items take the two minutes that the limit demands, and none is refused', async () => {
	const { service, n8n } = await createWorld();
	const count = 150;
	const begun = time.now();
	const { items, error } = await n8n.runNode(addEach, numbered(service, count));
	const tookMs = time.now() - begun;
	expect(error).toBeUndefined();
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	const added = new Map(service.store.responses(survey).map((one) => [one.uuid, one.answers]));
	const answers = items.map(({ json }) => Object.values(added.get(String(json.uuid)) ?? {}));
	expect(answers).toEqual(range(count).map((number) => [number]));
	// and the fields of the form
	expect(service.requests.map(({ status }) => status)).toEqual(Array(count + 1).fill(200));
	expect(tookMs).toBeGreaterThan(120_000);
	// with the time that a busy machine needs
	expect(tookMs).toBeLessThan(130_000);
});

it('a run that meets the limit of the day says when the limit resets, and which items were sent', async () => {
	const { service, n8n } = await createWorld({ perDay: 5 });
	const begun = time.now();
	const { error } = await n8n.runNode(addEach, numbered(service, 12));
	const within = [begun, time.now() + 2_000].map((at) => formatTime(at + DAY_MS));
	expect(within).toContain(
		error?.message.replace('Daily request limit reached. It resets at ', ''),
	);
	const SENT =
		'4 of the 12 items were already sent (items 0 to 3). Run only the other items again.<br>';
	expect(String(error?.description).split('\n')).toContain(SENT);
});

const searchForms = async ({ n8n }: World) => await n8n.searchForms();
/** A trigger polls for the first time. */
const poll = async ({ n8n }: World) =>
	await n8n.runPoll({ formId: locator(contact) }, { workflowId: `at ${time.now()}` });
it.each([
	['a list in the editor', '/forms', searchForms],
	['a trigger', `/responses/${contact}`, poll],
])('%s waits at most a minute while 1,000 items run', async (_what, path, ask) => {
	const world = await createWorld();
	const { service, n8n } = world;
	const run = n8n.startNode(addEach, numbered(service, 1_000));
	for (const pauseMs of [100, 70_000]) {
		await time.sleep(pauseMs);
		const [begun, before] = [time.now(), service.requests.length];
		await ask(world);
		expect(time.now() - begun).toBeLessThan(62_000);
		expect(pathsOf(service.requests.slice(before))).toContain(path);
	}
	run.cancel();
	await run.done;
});
