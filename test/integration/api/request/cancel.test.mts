import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { slow } from '../../../service/index.mts';
import type { Fault, FaultName, ServiceOptions } from '../../../service/index.mts';
import { time } from '../../harness.mts';
import { inputFor, operationNamed, timesAdded } from '../../resources/operations.mts';
import { answered, AT_ONCE, createWorld } from '../../world.mts';
import { addEach, numbered } from '../adding.mts';

const getWorkspace = { resource: 'workspace', operation: 'get' };

// while the time stands still, an end that waits for time to pass would never come
describe('an execution that is canceled', () => {
	it.each<[string, INodeParameters, number, Fault | FaultName, ServiceOptions]>([
		['its turn', addEach, 6, slow(300), {}],
		['the next minute', addEach, 4, slow(0), { perMinute: 4 }],
		['another try', getWorkspace, 1, 'unavailable', {}],
	])('ends at once while it waits for %s, and sends no more', async (_what, ...given) => {
		const [parameters, requests, fault, options] = given;
		const { service, n8n } = await createWorld({ ...AT_ONCE, ...options });
		service.faults.set({ fault, match: { path: /^(?!.*fields$)/ } });
		await time.still(async () => {
			const run = n8n.startNode(parameters, numbered(service, 50));
			await answered(service.requests, requests);
			run.cancel();
			await run.done;
		});
		// long enough for all that waits in these tests
		await time.sleep(120_000);
		expect(service.requests).toHaveLength(requests);
	});

	it.each<[string, string, FaultName, number, RegExp]>([
		[
			'how an update failed',
			'Setting: Update',
			'serverError',
			1,
			/^Form Service .* \(status 500\)/,
		],
		[
			'that a response may be there',
			'Response: Create',
			'silentAfter',
			2,
			/\. The response may or/,
		],
	])('says %s that was sent before', async (_what, ...given) => {
		const [name, fault, requests, message] = given;
		const { service, n8n } = await createWorld(AT_ONCE);
		const { parameters, match } = operationNamed(name);
		const input = inputFor(service).slice(1);
		service.faults.set({ fault, match });
		const { error } = await time.still(async () => {
			const run = n8n.startNode(parameters, input);
			await answered(service.requests, requests);
			run.cancel();
			return await run.done;
		});
		expect(error?.message).toMatch(message);
		expect(timesAdded(service)).toBe(fault === 'silentAfter' ? 1 : 0);
	});
});
