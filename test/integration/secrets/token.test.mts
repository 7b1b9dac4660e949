import { describe, expect, it } from 'vitest';
import { demoForms, redirect, status } from '../../service/index.mts';
import { inputFor, operationCases } from '../tables/operations.mts';
import { withWorld } from '../world.mts';
import { locator, n8nFor } from '../harness.mts';
import { elsewhere, unreachablePlaces } from '../servers.mts';
import { tracesOf } from './traces.mts';

const noBaseUrl = { name: 'a base URL that is none', baseUrl: 'forms' };
const places = [...(await unreachablePlaces()), noBaseUrl];

const accessToken = 'a-token-that-nobody-else-may-see-4c1f';

const expectNoTrace = (...values: unknown[]) =>
	expect(tracesOf({ accessToken }, ...values)).toEqual([]);

it('what looks for the token would find it, however deep it is', () => {
	const headers = { secret: accessToken };
	const cause = Object.assign(new Error('inner'), { config: { headers } });
	expect(tracesOf({ accessToken }, new Error('outer', { cause }))).toEqual([accessToken]);
});

// The table of faults looks for the token under every fault of the service: ../faults/faults.test.mts.
describe('no error, and nothing that n8n stores with it, has the token', () => {
	it.each(places)('$name', async ({ baseUrl }) => {
		const n8n = n8nFor({ accessToken, baseUrl });
		const { run, error } = await n8n.runNode({ resource: 'workspace', operation: 'get' });
		expect(error).toBeDefined();
		expectNoTrace(run, error);
		const tested = await n8n.testCredential();
		expect(tested.status).toBe('Error');
		expectNoTrace(tested);
		await expect(n8n.searchForms()).rejects.toSatisfy((reason) => {
			expectNoTrace(reason);
			return true;
		});
	});

	it('also where the service itself repeats it', async () => {
		await withWorld(
			async ({ service, n8n }) => {
				service.faults.set({ fault: status(422, `No: ${accessToken}`, { name: [accessToken] }) });
				const { run, error } = await n8n.runNode({ resource: 'workspace', operation: 'get' });
				expect(error?.message).toContain('No: [access token]');
				expectNoTrace(run, error);
				expectNoTrace(await n8n.testCredential());
			},
			{ token: accessToken },
		);
	});
});

describe('no run that succeeds stores the token', () => {
	it.each(operationCases.map((operation) => [operation.name, operation] as const))(
		'%s',
		async (_name, operation) => {
			await withWorld(
				async ({ service, n8n }) => {
					const { run, error } = await n8n.runNode(operation.parameters, inputFor(service));
					expect(error).toBeUndefined();
					expectNoTrace(run);
				},
				{ token: accessToken },
			);
		},
	);
});

describe('the token is sent to the account’s origin alone', () => {
	it.each([302, 308])('a redirect (%i) of the API elsewhere is not followed', async (code) => {
		const other = await elsewhere();
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: redirect(`${other.url}/api/v1/forms`, code) });
			for (const { parameters } of operationCases) {
				const { error } = await n8n.runNode(parameters, inputFor(service));
				expect(error?.message).toContain(`redirects to ${other.url}/api/v1/forms`);
			}
			const { status: tested, message } = await n8n.testCredential();
			expect([tested, message]).toEqual(['Error', expect.stringContaining(other.url)]);
			expect(other.visits).toEqual([]);
		});
	});

	it.each(['linkAbsolute', 'linkRelative'] as const)(
		'a next page elsewhere is not fetched (%s)',
		async (paging) => {
			const other = await elsewhere();
			await withWorld(async ({ service, n8n }) => {
				for (const nextLink of [
					`${other.url}/page`,
					other.url.replace('http:', ''),
					`${service.url}@${new URL(other.url).host}/`,
				]) {
					Object.assign(service.shapes, { paging, pageSize: 1, nextLink });
					const { error } = await n8n.runNode({
						resource: 'response',
						operation: 'getAll',
						returnAll: true,
						formId: locator(demoForms.contact),
					});
					expect(error?.message).toMatch(
						/^The next page of the list is at http:\S+, which is not the address of the list$/,
					);
				}
				expect(other.visits).toEqual([]);
			});
		},
	);
});
