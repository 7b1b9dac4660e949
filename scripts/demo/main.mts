import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { demoForms } from '../../test/service/index.mts';
import { submitFormPage } from '../lib/formPage.mts';
import { owner } from '../lib/n8n/instance.mts';
import { itemsOf } from '../lib/n8n/rest.mts';
import { root } from '../lib/paths.mts';
import { startWorld, type World } from './world.mts';

const HELP = `npm run demo                 a Form Service and an n8n to try the package by hand
npm run demo -- --check      the same without a person: submit a form, wait for the workflow, end
npm run demo -- --fresh      begin anew: removes what earlier demos have stored
`;

const { values } = parseArgs({
	options: {
		check: { type: 'boolean', default: false },
		fresh: { type: 'boolean', default: false },
		help: { type: 'boolean', default: false },
	},
});

const addresses = ({ service, n8n, workflows }: World) => `
The demo is running. Form Service is a stand-in for tests and demos, seeded with a few forms.

  Submit a form      ${service.url}/f/${demoForms.contact}
  See it arrive      ${n8n.url}/workflow/${workflows['act-on-new-responses.json']}/executions   (within 10 seconds)
  n8n                ${n8n.url}
  n8n login          ${owner.email} / ${owner.password}
  All forms          ${service.url}/
  Base URL           ${service.baseUrl}
  Access token       ${service.token}

  Add a response     curl -H 'content-type: application/json' -d '{"name":"Ada","email":"ada@example.com","message":"Hello"}' ${n8n.url}/webhook/form-service-add-response

Its triggers look every 10 seconds, which the stand-in's limits are raised for.
Ctrl-C ends all of it; what is stored in .demo stays for the next start.
`;

/** Where a person finds both again, unless something else is there. */
const PORTS = { service: 4010, n8n: 5678 };

const interrupted = new Promise<'interrupted'>((resolve) => {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(signal, () => resolve('interrupted'));
	}
});

const TIMEOUT_MS = 120_000;

/**
 * Submits the form's page and waits until the workflow has run on that response.
 * @returns the item as the workflow got it
 * @throws Error that says how far it came
 */
async function checkWorld({ service, n8n, workflows }: World) {
	const message = `Checked at ${new Date().toISOString()}`;
	await submitFormPage(service, demoForms.contact, {
		Name: 'Ada Lovelace',
		Email: 'ada@example.com',
		Message: message,
	});
	const workflowId = workflows['act-on-new-responses.json'];
	const deadline = Date.now() + TIMEOUT_MS;
	let seen: string[] = [];
	while (Date.now() < deadline) {
		seen = [];
		for (const id of await n8n.rest.executionIds(workflowId)) {
			const execution = await n8n.rest.execution(id);
			seen.push(`${id} ${execution.status}`);
			const item = itemsOf(execution, 'New Response').find(({ json }) =>
				JSON.stringify(json).includes(message),
			);
			if (!item) continue;
			if (execution.status === 'success') return item.json;
			if (['error', 'crashed', 'canceled'].includes(execution.status)) {
				throw new Error(`Execution ${id} got the response and ended with "${execution.status}".`);
			}
		}
		await sleep(500);
	}
	throw new Error(
		`The workflow did not run on the response within ${TIMEOUT_MS / 1000} s. Its executions: ${seen.join(', ') || 'none'}.`,
	);
}

async function check(world: World) {
	const item = await checkWorld(world);
	console.log(`The workflow ran on this response:\n${JSON.stringify(item, null, 2)}`);
}

/** Gives the exit code. */
async function demo(): Promise<number> {
	await using cleanup = new AsyncDisposableStack();
	const folder = join(root, '.demo', values.check ? 'check' : 'data');
	if (values.check || values.fresh) await rm(folder, { recursive: true, force: true });
	let world: World | 'interrupted' | undefined;
	try {
		world = await Promise.race([startWorld(folder, cleanup, PORTS), interrupted]);
		if (world === 'interrupted') return 1;
		if (values.check) return (await Promise.race([check(world), interrupted])) ? 1 : 0;
		console.log(addresses(world));
		await interrupted;
		console.log('\nEnding n8n and the service');
		return 0;
	} catch (error) {
		console.error(`\n${error instanceof Error ? error.message : String(error)}`);
		if (world && world !== 'interrupted') {
			console.error(`\nThe end of n8n's log (${world.n8n.logFile}):`);
			console.error((await world.n8n.log()).split('\n').slice(-60).join('\n'));
		}
		return 1;
	}
}

if (values.help) console.log(HELP);
else process.exit(await demo());
