import { parseArgs } from 'node:util';
import { demoForms } from '../../test/service/index.mts';
import { submitFormPage } from '../../test/service/submitForm.mts';
import { owner } from '../lib/n8n/instance.mts';
import { type Execution, itemsOf } from '../lib/n8n/rest.mts';
import { temporaryFolder } from '../lib/paths.mts';
import { startWorld, type World } from './world.mts';

const HELP = `npm run demo                 a Form Service and an n8n to try the package by hand
npm run demo -- --check      the same without a person: submit a form, wait for the workflow, end
`;

const { values } = parseArgs({
	options: {
		check: { type: 'boolean', default: false },
		help: { type: 'boolean', default: false },
	},
});

const FIRST_EXAMPLE = 'act-on-new-responses.json';

const addresses = ({ service, n8n, workflows }: World) => `
The demo is running. Form Service is a stand-in for tests and demos, seeded with a few forms.

  Submit a form      ${service.url}/f/${demoForms.contact}
  See it arrive      ${n8n.url}/workflow/${workflows[FIRST_EXAMPLE]}/executions   (within 10 seconds)
  n8n                ${n8n.url}
  n8n login          ${owner.email} / ${owner.password}
  All forms          ${service.url}/
  Base URL           ${service.baseUrl}
  Access token       ${service.token}

  Add a response     curl -H 'content-type: application/json' -d '{"name":"Ada","email":"ada@example.com","message":"Hello"}' ${n8n.url}/webhook/form-service-add-response

Its triggers poll every 10 seconds, which the stand-in's limits are raised for.
Ctrl-C ends all of it; nothing that you enter is kept.
`;

/** Where a person finds both, unless something else is there. */
const PORTS = { service: 4010, n8n: 5678 };

const interrupted = new Promise<'interrupted'>((resolve) => {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(signal, () => resolve('interrupted'));
	}
});

/** Submits the form's page and waits until the workflow has run on that response. */
async function check({ service, n8n: { rest }, workflows }: World): Promise<void> {
	const message = `Checked at ${new Date().toISOString()}`;
	const answers = { Name: 'Ada Lovelace', Email: 'ada@example.com', Message: message };
	await submitFormPage(service, demoForms.contact, answers);
	const listItems = (execution: Execution) =>
		itemsOf(execution, 'New Response').map(({ json }) => JSON.stringify(json));
	const isItem = (text: string) => text.includes(message);
	const execution = await rest.waitForExecution(workflows[FIRST_EXAMPLE], (one) =>
		listItems(one).some(isItem),
	);
	const { id, status } = execution;
	if (status !== 'success') throw new Error(`Execution ${id} ended with "${status}".`);
	console.log(`The workflow ran on this response:\n${listItems(execution).find(isItem)}`);
}

/** Returns the exit code. */
async function demo(): Promise<number> {
	await using cleanup = new AsyncDisposableStack();
	const folder = await temporaryFolder('demo', cleanup);
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
			console.error("\nThe end of n8n's log:");
			console.error((await world.n8n.log()).split('\n').slice(-60).join('\n'));
		}
		return 1;
	}
}

if (values.help) console.log(HELP);
else process.exit(await demo());
