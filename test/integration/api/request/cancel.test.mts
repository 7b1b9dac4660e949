import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { slow } from '../../../service/index.mts';
import type { Fault, FaultName, ServiceOptions } from '../../../service/index.mts';
import { time } from '../../harness.mts';
import { inputFor, operationNamed, timesAdded } from '../../resources/operations.mts';
import { answered, AT_ONCE, createWorld } from '../../world.mts';
import { addEach, numbered } from '../adding.mts';

const getPdfs = {
	resource: 'response',
	operation: 'getPdf',
	responseId: "={{ 'r' + $itemIndex }}",
	download: false,
};
const getWorkspace = { resource: 'workspace', operation: 'get' };

// while the time stands still, an end that waits for time to pass would never come
describe('an execution that is canceled', () => {
	it.each<[string, INodeParameters, number, Fault | FaultName, ServiceOptions]>([
		['its turn', getPdfs, 5, slow(300), {}],
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

	it('says that a response may be there that was sent before', async () => {
		const { service, n8n } = await createWorld(AT_ONCE);
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
});
