import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../../scripts/lib/command.mts';
import { lines } from '../../scripts/lib/n8n/install.mts';
import { startN8n } from '../../scripts/lib/n8n/instance.mts';
import { itemsOf } from '../../scripts/lib/n8n/rest.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { demoForms, startService } from '../service/index.mts';
import { countPolls, TRIGGER, triggerWorkflow } from './delivery/submissions.mts';
import { startRegistry } from './registry.mts';

const SOON_MS = 120_000;

/** n8n tells npm to use the public registry, which only a scope's own registry overrides. */
const PACKAGE = '@tests-of-formservice/n8n-nodes-formservice';
const VERSION = '1.0.0';

it.each(lines)('n8n %s installs the package from a registry, uses and removes it', async (line) => {
	await using cleanup = new AsyncDisposableStack();
	const folder = await temporaryFolder('n8n-install', cleanup);
	const settings = await startRegistry(join(folder, 'registry'), PACKAGE, VERSION, cleanup);
	// `npm run` hands its own settings on under names in small letters
	const env = { npm_config_userconfig: settings, NPM_CONFIG_USERCONFIG: settings };
	const { rest } = await startN8n({ line, folder: join(folder, 'n8n'), env }, cleanup);
	const listInstalled = async () => await rest.send('GET', '/rest/community-packages');
	// n8n 1.x finds the latest version of a package at the public registry alone
	await rest.send('POST', '/rest/community-packages', { name: `${PACKAGE}@${VERSION}` });
	expect(await listInstalled()).toMatchObject([{ packageName: PACKAGE }]);

	const service = await startService();
	cleanup.defer(async () => await service.close());
	const workflow = triggerWorkflow(await rest.saveAccount(service), demoForms.contact);
	workflow.nodes[0].type = `${PACKAGE}.formServiceTrigger`;
	const id = await rest.createWorkflow(workflow);
	await rest.activate(id);
	await until(() => countPolls(service) > 0, SOON_MS);
	service.store.addResponse(demoForms.contact, { answers: { Message: 'Hello' } });
	const found = await rest.waitForExecution(id, () => true);
	expect(itemsOf(found, TRIGGER)).toMatchObject([{ json: { answers: { Message: 'Hello' } } }]);

	await rest.send('DELETE', `/rest/community-packages?name=${encodeURIComponent(PACKAGE)}`);
	expect(await listInstalled()).toEqual([]);
});
