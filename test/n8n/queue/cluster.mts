import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installN8n } from '../../../scripts/lib/n8n/install.mts';
import { N8n } from '../../../scripts/lib/n8n/instance.mts';
import { packedPackage } from '../../../scripts/lib/packedPackage.mts';
import { temporaryFolder } from '../../../scripts/lib/paths.mts';
import { type Client, readPostgres, type ReadStored } from '../delivery/database.mts';
import { startPostgres, startRedis } from './servers.mts';

export type Cluster = {
	main: N8n;
	workers: N8n[];
	read: ReadStored;
	/** how many executions each worker has begun so far */
	executionsByWorker(): Promise<number[]>;
};

type PgClient = Client & { connect(): Promise<void>; end(): Promise<void> };

async function connectTo(port: number, cleanup: AsyncDisposableStack): Promise<PgClient> {
	const requireFromN8n = createRequire(
		join(await installN8n(), 'node_modules', 'n8n', 'package.json'),
	);
	const { Client } = requireFromN8n('pg') as { Client: new (options: object) => PgClient };
	const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
	await client.connect();
	cleanup.defer(async () => await client.end());
	return client;
}

/** n8n in queue mode: one main process and some workers on a Redis and a PostgreSQL of their own. */
export async function startCluster(
	workerCount: number,
	cleanup: AsyncDisposableStack,
): Promise<Cluster> {
	const folder = await temporaryFolder('n8n-queue', cleanup);
	const redis = await startRedis(cleanup);
	const postgres = await startPostgres(cleanup);
	const tarball = await packedPackage();
	const env = {
		EXECUTIONS_MODE: 'queue',
		EXECUTIONS_DATA_PRUNE: 'false',
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redis),
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(postgres),
		DB_POSTGRESDB_DATABASE: 'postgres',
		DB_POSTGRESDB_USER: 'postgres',
		DB_POSTGRESDB_PASSWORD: 'unused',
	};
	const processOf = (name: string, role: 'main' | 'worker') => {
		const process = new N8n({ folder: join(folder, name), role, tarball, env });
		cleanup.defer(async () => await process.stop());
		return process;
	};
	const main = processOf('main', 'main');
	// the workers expect the tables that the main process makes
	await main.start();
	const workers = Array.from({ length: workerCount }, (_, index) =>
		processOf(`worker-${index + 1}`, 'worker'),
	);
	await Promise.all(workers.map(async (worker) => await worker.start()));
	return {
		main,
		workers,
		read: readPostgres(await connectTo(postgres, cleanup)),
		executionsByWorker: async () =>
			await Promise.all(
				workers.map(
					async (worker) => (await worker.log()).split('Worker started execution').length - 1,
				),
			),
	};
}
