import { type InstanceOptions, N8n } from '../../scripts/lib/n8n/instance.mts';
import type { N8nRest } from '../../scripts/lib/n8n/rest.mts';
import { packedPackage } from '../../scripts/lib/packedPackage.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { type Service, type ServiceOptions, startService } from '../service/index.mts';

/** A saved credential, as a node names it. */
export type Credential = { id: string; name: string };

/** Starts a service whose limits no test reaches; it ends with `cleanup`. */
export async function startUnlimited(
	cleanup: AsyncDisposableStack,
	options: ServiceOptions = {},
): Promise<Service> {
	const service = await startService({ perMinute: 100_000, perDay: 1_000_000, ...options });
	cleanup.defer(async () => await service.close());
	return service;
}

/** Starts an n8n in a folder of its own; both go with `cleanup`. */
export async function startInstance(
	cleanup: AsyncDisposableStack,
	options: Omit<InstanceOptions, 'folder'> = {},
): Promise<{ n8n: N8n; rest: N8nRest; folder: string }> {
	const folder = await temporaryFolder('n8n-instance', cleanup);
	const n8n = new N8n({ ...options, folder, tarball: await packedPackage() });
	cleanup.defer(async () => await n8n.stop());
	await n8n.start();
	return { n8n, rest: n8n.rest, folder };
}

export async function saveAccount(
	rest: N8nRest,
	{ token, baseUrl }: Pick<Service, 'token' | 'baseUrl'>,
	name = 'Form Service account',
): Promise<Credential> {
	const data = { accessToken: token, baseUrl };
	return { id: await rest.saveCredential(name, 'formServiceApi', data), name };
}
