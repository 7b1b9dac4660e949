import { expect, it, vi } from 'vitest';
import { demoForms, slow } from '../../../service/index.mts';
import type { Fault, FaultName, ServiceOptions } from '../../../service/index.mts';
import { itemsOf, locator, n8nFor, time } from '../../harness.mts';
import { inputFor, operationNamed, timesAdded } from '../../resources/operations.mts';
import { elsewhere } from '../../servers.mts';
import { answered, createWorld, pathsOf } from '../../world.mts';

const getPdfs = {
	...{ resource: 'response', operation: 'getPdf', download: false },
	responseId: "={{ 'r' + $itemIndex }}",
};
const getWorkspace = { resource: 'workspace', operation: 'get' };

it('A trigger waits at most a minute while 1,000 items run, and no request is refused', async () => {
	const { service, n8n } = await createWorld();
	const run = n8n.startNode(getPdfs, itemsOf(...Array(1_000).fill({})));
	await time.sleep(70_000);
	const [begun, before] = [time.now(), service.requests.length];
	const { contact } = demoForms;
	await n8n.runPoll({ formId: locator(contact) });
	expect(time.now() - begun).toBeLessThan(62_000);
	expect(pathsOf(service.requests.slice(before))).toContain(`/responses/${contact}`);
	expect(service.requests.map(({ status }) => status)).not.toContain(429);
	run.cancel();
	await run.done;
});

// while the time stands still, an end that waits for time to pass would never come
it.each<[string, number, number, Fault | FaultName, ServiceOptions]>([
	['its turn', 50, 5, slow(300), {}],
	['the next minute', 50, 5, slow(0), { perMinute: 4 }],
	['another try', 1, 1, 'unavailable', {}],
])(
	'A run that is canceled while it waits for %s ends at once, and sends no more',
	async (...given) => {
		const [, items, requests, fault, options] = given;
		const { service, n8n } = await createWorld(options);
		service.faults.set({ fault });
		await time.still(async () => {
			const run = n8n.startNode(getPdfs, itemsOf(...Array(items).fill({})));
			await answered(service.requests, requests);
			run.cancel();
			await run.done;
		});
		// long enough for all that waits in these tests
		await time.sleep(120_000);
		expect(service.requests).toHaveLength(requests);
		service.faults.clear();
		// no turn is lost
		expect((await n8n.runNode(getWorkspace)).error).toBeUndefined();
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

it.each([
	[30, {}],
	[90, { timeout: 90_000 }],
])(
	'A reply that goes on for ever ends after %i seconds with its connection: %j',
	async (...given) => {
		const [seconds, requestOptions] = given;
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
		const n8n = n8nFor({ baseUrl, accessToken: 'token' });
		const { error } = await n8n.runNode({ ...getWorkspace, requestOptions });
		expect(error?.message).toMatch(/ did not reply in time$/);
		expect(visits).toHaveLength(4);
		// and the delays between, which are less than ten seconds
		expect(Math.floor((time.now() - begun) / 10_000)).toBe((4 * seconds) / 10);
		await vi.waitFor(() => expect(open).toBe(0));
	},
);
