import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { lines } from '../../scripts/lib/n8n/install.mts';
import { executionReader, owner } from '../../scripts/lib/n8n/instance.mts';
import { N8nProcess } from '../../scripts/lib/n8n/process.mts';
import { itemsOf, N8nRest } from '../../scripts/lib/n8n/rest.mts';
import { packedPackage } from '../../scripts/lib/packedPackage.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { type Registry, startRegistry } from '../../scripts/lib/registry.mts';
import { demoForms, type Service } from '../service/index.mts';
import { countPolls, TRIGGER, triggerWorkflow, until } from './delivery/submissions.mts';
import { saveAccount, startUnlimited } from './instance.mts';

const TEST_TIMEOUT_MS = 900_000;
const SOON_MS = 60_000;

/** n8n tells npm to use the public registry, which only a scope's own registry overrides. */
const SCOPE = '@tests-of-formservice';
const PACKAGE = `${SCOPE}/n8n-nodes-formservice`;

type Installed = {
	packageName: string;
	installedVersion: string;
	updateAvailable?: string;
	installedNodes: Array<{ name: string; type: string }>;
};

let cleanup = new AsyncDisposableStack();
afterEach(async () => {
	await cleanup.disposeAsync();
	cleanup = new AsyncDisposableStack();
}, 120_000);

type World = {
	registry: Registry;
	service: Service;
	rest: N8nRest;
	/** where n8n keeps the package */
	packageFolder: string;
	publish(version: string): Promise<void>;
};

/** A registry, a service, and an n8n of this line that has no community nodes. */
async function start(line: string): Promise<World> {
	const folder = await temporaryFolder('n8n-install', cleanup);
	const registry = await startRegistry(join(folder, 'registry'), SCOPE, cleanup);
	const service = await startUnlimited(cleanup);
	const tarball = await packedPackage();
	const n8n = new N8nProcess({ line, folder: join(folder, 'n8n'), env: registry.env });
	cleanup.defer(async () => await n8n.stop());
	const nodesFolder = join(folder, 'n8n', '.n8n', 'nodes');
	// n8n 1.x asks for updates without the variables of its own environment
	await cp(registry.settings, join(nodesFolder, '.npmrc'));
	await n8n.start();
	const rest = new N8nRest(n8n.url, await executionReader(line));
	await rest.signIn(owner);
	return {
		registry,
		service,
		rest,
		packageFolder: join(nodesFolder, 'node_modules', PACKAGE),
		publish: async (version) => await registry.publish(tarball, PACKAGE, version),
	};
}

const installedPackages = async (rest: N8nRest) =>
	(await rest.send('GET', '/rest/community-packages')) as Installed[];

/** Switches on a workflow whose trigger has polled once; gives the messages that it was started with so far. */
async function startTrigger({ rest, service }: World): Promise<() => Promise<string[]>> {
	const workflow = triggerWorkflow(await saveAccount(rest, service), demoForms.contact);
	for (const node of workflow.nodes) {
		node.type = node.type.replace('n8n-nodes-formservice', PACKAGE);
	}
	const id = await rest.createWorkflow(workflow);
	await rest.activate(id);
	expect(await until(() => countPolls(service) > 0, SOON_MS)).toBe(true);
	return async () => {
		const messages = [];
		for (const execution of await rest.executionIds(id)) {
			const items = itemsOf(await rest.execution(execution), TRIGGER);
			messages.push(...items.map(({ json }) => (json.answers as { Message: string }).Message));
		}
		return messages.sort();
	};
}

const submit = ({ service }: World, message: string) =>
	service.store.addResponse(demoForms.contact, { answers: { Message: message } });

describe.each(lines)('n8n %s', (line) => {
	it(
		'installs the package from a registry, updates it under an active trigger that loses nothing, and uninstalls it',
		async () => {
			const world = await start(line);
			const { rest, service, packageFolder } = world;

			await world.publish('1.0.0');
			// n8n 1.x finds the latest version of a package at the public registry alone
			await rest.send('POST', '/rest/community-packages', { name: `${PACKAGE}@1.0.0` });
			expect(await installedPackages(rest)).toMatchObject([
				{ packageName: PACKAGE, installedVersion: '1.0.0' },
			]);
			const [{ installedNodes }] = await installedPackages(rest);
			expect(installedNodes.map(({ type }) => type).sort()).toEqual([
				`${PACKAGE}.formService`,
				`${PACKAGE}.formServiceTrigger`,
			]);

			const messages = await startTrigger(world);
			submit(world, '1: before the update');
			expect(await until(async () => (await messages()).length === 1, SOON_MS)).toBe(true);

			await world.publish('1.1.0');
			const [{ updateAvailable }] = await installedPackages(rest);
			expect(updateAvailable).toBe('1.1.0');
			submit(world, '2: not polled before the update');
			await rest.send('PATCH', '/rest/community-packages', { name: PACKAGE, version: '1.1.0' });
			submit(world, '3: after the update');
			expect(await until(async () => (await messages()).length >= 3, SOON_MS)).toBe(true);
			const before = countPolls(service);
			expect(await until(() => countPolls(service) > before + 1, SOON_MS)).toBe(true);
			expect(await messages()).toEqual([
				'1: before the update',
				'2: not polled before the update',
				'3: after the update',
			]);
			expect(await installedPackages(rest)).toMatchObject([{ installedVersion: '1.1.0' }]);

			await rest.send('DELETE', `/rest/community-packages?name=${encodeURIComponent(PACKAGE)}`);
			expect(await installedPackages(rest)).toEqual([]);
			expect(existsSync(packageFolder)).toBe(false);
		},
		TEST_TIMEOUT_MS,
	);
});
