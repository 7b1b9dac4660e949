/**
 * A Form Service and an n8n to try the package by hand. With `--check`, it does without a person: it submits
 * a form, waits for the workflow, and ends.
 */
import { parseArgs } from 'node:util';
import { demoForms } from '../../test/service/index.mts';
import { owner } from '../lib/n8n/instance.mts';
import { type Execution, itemsOf } from '../lib/n8n/rest.mts';
import { temporaryFolder } from '../lib/paths.mts';
import { startWorld, type World } from './world.mts';

const { values } = parseArgs({ options: { check: { type: 'boolean' } } });

const FIRST_EXAMPLE = 'act-on-new-responses.json';

const describeWorld = ({ service, n8n, workflows }: World) => `
The demo is running. Form Service is a stand-in for tests and demos, seeded with a few forms.

  Submit a form      ${service.url}/f/${demoForms.contact}
  See it arrive      ${n8n.url}/workflow/${workflows[FIRST_EXAMPLE]}/executions   (within about 10 seconds)
  n8n, all examples  ${n8n.url}/home/workflows
  n8n login          ${owner.email} / ${owner.password}
  All forms          ${service.url}/
  Base URL           ${service.baseUrl}
  Access token       ${service.token}

  Add a response     curl -H 'content-type: application/json' -d '{"name":"Ada","email":"ada@example.com","message":"Hello"}' ${n8n.url}/webhook/form-service-add-response

The triggers of the examples poll every 10 seconds. A trigger that you add polls about every 2 minutes.
Ctrl-C ends all of it; nothing that you enter is kept.
`;

/** Where a person finds both, unless something else is there. */
const PORTS = { service: 4010, n8n: 5678 };

/** Submits the form's page and waits until the workflow has run on that response. */
async function checkWorld({ service, n8n: { rest }, workflows }: World): Promise<void> {
	const message = `Checked at ${new Date().toISOString()}`;
	const fields = service.store.fields(demoForms.contact);
	const answers: Record<string, string> = { Email: 'ada@example.com', Message: message };
	const body = new URLSearchParams(
		fields.map(({ uuid, label }) => [uuid, answers[label] ?? 'Ada']),
	);
	await fetch(`${service.url}/f/${demoForms.contact}`, { method: 'POST', body });
	const isMeant = (execution: Execution) =>
		JSON.stringify(itemsOf(execution, 'New Response')).includes(message);
	const { status } = await rest.waitForExecution(workflows[FIRST_EXAMPLE], isMeant);
	if (status !== 'success') throw new Error(`The execution ended with "${status}".`);
	console.log('The workflow has run on this response.');
}

async function run(cleanup: AsyncDisposableStack): Promise<void> {
	const world = await startWorld(await temporaryFolder('demo', cleanup), cleanup, PORTS);
	if (values.check) return await checkWorld(world);
	console.log(describeWorld(world));
	return await new Promise<never>(() => {});
}

const interrupted = new Promise<void>((resolve) => {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve());
});

{
	await using cleanup = new AsyncDisposableStack();
	await Promise.race([run(cleanup), interrupted]);
	console.log('\nEnding n8n and the service');
}
process.exit();
