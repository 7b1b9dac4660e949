import { startService, type Service } from '../service/index.mts';
import { n8nFor, type N8n } from './harness.mts';

export type World = { service: Service; n8n: N8n };

/**
 * A service and an n8n with an account of it, for one case alone: what one case spends of the
 * limits, or leaves broken, no other case sees.
 */
export async function withWorld<T>(
	work: (world: World) => Promise<T>,
	options: Parameters<typeof startService>[0] = {},
): Promise<T> {
	const service = await startService(options);
	try {
		return await work({
			service,
			n8n: n8nFor({ accessToken: service.token, baseUrl: service.url }),
		});
	} finally {
		await service.close();
	}
}
