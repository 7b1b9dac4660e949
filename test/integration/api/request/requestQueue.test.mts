import { range } from 'lodash';
import { expect, it, vi } from 'vitest';
import { demoForms, slow, unavailable } from '../../../service/index.mts';
import type { Fault, FaultName, Service, ServiceOptions } from '../../../service/index.mts';
import { itemsOf, locator, n8nFor, time } from '../../harness.mts';
import { inputFor, operationNamed, timesAdded } from '../../resources/operations.mts';
import { elsewhere } from '../../servers.mts';
import { answered, createWorld, pathsOf } from '../../world.mts';

const { contact, survey } = demoForms;

const addEach = {
	...{ resource: 'response', operation: 'create', formId: locator(survey) },
	...{ inputMode: 'json', answersJson: '={{ $json }}', options: { allowMissingAnswers: true } },
};

/** So many input items, each with an answer of its own: its number. */
function numbered({ store }: Service, count: number) {
	const { uuid } = store.fields(survey).find(({ type }) => type === 'number')!;
	return itemsOf(...range(count).map((index) => ({ [uuid]: index })));
}

it('150 items take the two minutes that the limit demands, and none is refused', async () => {
	const { service, n8n } = await createWorld();
	const begun = time.now();
	const { items, error } = await n8n.runNode(addEach, numbered(service, 150));
	expect(error).toBeUndefined();
	expect(items).toHaveLength(150);
	// and the fields of the form
	expect(service.requests.map(({ status }) => status)).toEqual(Array(151).fill(200));
	expect(time.now() - begun).toBeGreaterThan(120_000);
	expect(time.now() - begun).toBeLessThan(130_000);
});

it('Items wait for a maintenance of 4 minutes, and each response is added once', async () => {
	const { service, n8n } = await createWorld();
	const existing = service.store.responses(survey).length;
	service.faults.set({ fault: () => undefined, times: 10 });
	service.faults.set({ fault: unavailable(240), times: 1 });
	const { items, error } = await n8n.runNode(addEach, numbered(service, 30));
	expect(error).toBeUndefined();
	expect(items).toHaveLength(30);
	expect(service.store.responses(survey)).toHaveLength(existing + 30);
});

const getPdfs = {
	...{ resource: 'response', operation: 'getPdf', download: false },
	responseId: "={{ 'r' + $itemIndex }}",
};

it('A trigger waits at most a minute while 1,000 items run', async () => {
	const { service, n8n } = await createWorld();
	const run = n8n.startNode(getPdfs, numbered(service, 1_000));
	await time.sleep(70_000);
	const [begun, before] = [time.now(), service.requests.length];
	await n8n.runPoll({ formId: locator(contact) });
	expect(time.now() - begun).toBeLessThan(62_000);
	expect(pathsOf(service.requests.slice(before))).toContain(`/responses/${contact}`);
	run.cancel();
	await run.done;
});

const getWorkspace = { resource: 'workspace', operation: 'get' };

// while the time stands still, an end that waits for time to pass would never come
it.each<[string, object, number, Fault | FaultName, ServiceOptions]>([
	['its turn', getPdfs, 5, slow(300), {}],
	['the next minute', addEach, 4, slow(0), { perMinute: 4 }],
	['another try', getWorkspace, 1, 'unavailable', {}],
])(
	'A run that is canceled while it waits for %s ends at once, and sends no more',
	async (...given) => {
		const [, parameters, requests, fault, options] = given;
		const { service, n8n } = await createWorld(options);
		service.faults.set({ fault, match: { path: /^(?!.*fields$)/ } });
		await time.still(async () => {
			const run = n8n.startNode({ ...parameters }, numbered(service, 50));
			await answered(service.requests, requests);
			run.cancel();
			await run.done;
		});
		// long enough for all that waits in these tests
		await time.sleep(120_000);
		expect(service.requests).toHaveLength(requests);
	},
);

it('A canceled run says that a response may be there that was sent before', async () => {
	const { service, n8n } = await createWorld();
	const { parameters, match } = operationNamed('Response: Create');
	const input = inputFor(service).slice(1);
	service.faults.set({ fault: 'silentAfter', match });
	const { error } = await time.still(async () => {
		const run = n8n.startNode(parameters, input);
		await answered(service.requests, 2);
		run.cancel();
		return await run.done;
	});
	expect(error?.message).toMatch(/\. The response may or/);
	expect(timesAdded(service)).toBe(1);
});

it('A reply that goes on for ever, a little at a time, ends at the timeout with its connection', async () => {
	let open = 0;
	const { url: baseUrl, visits } = await elsewhere((_request, reply) => {
		open++;
		reply.writeHead(200, { 'content-type': 'application/json' });
		const drip = setInterval(() => reply.write(' '), 50);
		reply.on('close', () => {
			open--;
			clearInterval(drip);
		});
	});
	const begun = time.now();
	const { error } = await n8nFor({ baseUrl, accessToken: 'token' }).runNode(getWorkspace);
	expect(error?.message).toMatch(/ did not reply in time$/);
	expect(visits).toHaveLength(4);
	// four times the default timeout, and the delays between
	expect(time.now() - begun).toBeLessThan(130_000);
	await vi.waitFor(() => expect(open).toBe(0));
});
