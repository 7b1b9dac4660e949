import { afterAll, beforeEach } from 'vitest';
import { startService, type Service } from '../../service/index.mts';
import { n8nFor, type N8n } from '../harness.mts';

/**
 * A service for the tests of one file, and an n8n with an account of it. The shapes, faults and
 * limits are as at the start before each test; what tests add to the store stays.
 */
export async function running(): Promise<{ service: Service; n8n: N8n }> {
	const service = await startService({ perMinute: 10_000, perDay: 100_000 });
	beforeEach(() => {
		service.shapes.reset();
		service.faults.clear();
		service.requests.length = 0;
		service.visits.length = 0;
	});
	afterAll(async () => await service.close());
	return { service, n8n: n8nFor({ accessToken: service.token, baseUrl: service.url }) };
}
