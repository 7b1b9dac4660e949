import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../../scripts/lib/command.mts';
import { lines } from '../../scripts/lib/n8n/install.mts';
import { N8n } from '../../scripts/lib/n8n/instance.mts';
import { itemsOf, type N8nRest } from '../../scripts/lib/n8n/rest.mts';
import { packedPackage } from '../../scripts/lib/packedPackage.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { demoForms, type Service } from '../service/index.mts';
import { countPolls, TRIGGER, triggerWorkflow } from './delivery/submissions.mts';
import { saveAccount, startUnlimited } from './instance.mts';
import { startRegistry } from './registry.mts';

const SOON_MS = 120_000;

/** n8n tells npm to use the public registry, which only a scope's own registry overrides. */
const PACKAGE = '@tests-of-formservice/n8n-nodes-formservice';

/** A registry, and an n8n of this line that has no community nodes and has not started. */
async function prepare(line: string, cleanup: AsyncDisposableStack) {
	const folder = await temporaryFolder('n8n-install', cleanup);
	const npm = join(folder, 'registry');
	const { publish, settings } = await startRegistry(npm, await packedPackage(), PACKAGE, cleanup);
	// `npm run` hands its own settings on under names in small letters
	const env: Record<string, string> = {
		npm_config_userconfig: settings,
		NPM_CONFIG_USERCONFIG: settings,
	};
	const n8n = new N8n({ line, folder: join(folder, 'n8n'), env });
	cleanup.defer(async () => await n8n.stop());
	// n8n 1.x asks for updates without the variables of its own environment
	await cp(settings, join(folder, 'n8n', '.n8n', 'nodes', '.npmrc'));
	return { n8n, publish };
}

/** Switches on a workflow, and waits for its first poll; returns what lists the messages that it got. */
async function startTrigger(rest: N8nRest, service: Service): Promise<() => Promise<string[]>> {
	const workflow = triggerWorkflow(await saveAccount(rest, service), demoForms.contact);
	workflow.nodes[0].type = `${PACKAGE}.formServiceTrigger`;
	const id = await rest.createWorkflow(workflow);
	await rest.activate(id);
	expect(await until(() => countPolls(service) > 0, SOON_MS)).toBe(true);
	return async () => {
		const items = (await rest.executions(id)).flatMap((one) => itemsOf(one, TRIGGER));
		return items.map(({ json }) => (json.answers as { Message: string }).Message).sort();
	};
}

it.each(lines)('n8n %s installs the package, updates it in use, and removes it', async (line) => {
	await using cleanup = new AsyncDisposableStack();
	const { n8n, publish } = await prepare(line, cleanup);
	await n8n.start();
	const { rest } = n8n;
	const service = await startUnlimited(cleanup);
	const listInstalled = async () => await rest.send('GET', '/rest/community-packages');
	const submit = (message: string) =>
		service.store.addResponse(demoForms.contact, { answers: { Message: message } });

	await publish('1.0.0');
	// n8n 1.x finds the latest version of a package at the public registry alone
	await rest.send('POST', '/rest/community-packages', { name: `${PACKAGE}@1.0.0` });
	expect(await listInstalled()).toMatchObject([
		{ packageName: PACKAGE, installedVersion: '1.0.0' },
	]);

	const listMessages = await startTrigger(rest, service);
	submit('1: before the update');
	expect(await until(async () => (await listMessages()).length === 1, SOON_MS)).toBe(true);

	await publish('1.1.0');
	expect(await listInstalled()).toMatchObject([{ updateAvailable: '1.1.0' }]);
	submit('2: not polled before the update');
	await rest.send('PATCH', '/rest/community-packages', { name: PACKAGE, version: '1.1.0' });
	submit('3: after the update');
	expect(await until(async () => (await listMessages()).length >= 3, SOON_MS)).toBe(true);
	const before = countPolls(service);
	expect(await until(() => countPolls(service) > before + 1, SOON_MS)).toBe(true);
	expect(await listMessages()).toEqual([
		'1: before the update',
		'2: not polled before the update',
		'3: after the update',
	]);
	expect(await listInstalled()).toMatchObject([{ installedVersion: '1.1.0' }]);

	await rest.send('DELETE', `/rest/community-packages?name=${encodeURIComponent(PACKAGE)}`);
	expect(await listInstalled()).toEqual([]);
});
