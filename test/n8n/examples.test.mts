import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../scripts/demo/world.mts';
import { fillIn, readExample } from '../../scripts/lib/n8n/examples.mts';
import { itemsOf, type Execution } from '../../scripts/lib/n8n/rest.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { demoForms } from '../service/index.mts';

const MESSAGE = 'Is it open on Sunday?';

let world: World;
const cleanup = new AsyncDisposableStack();

/** Starts all examples, adds a response and renames a form, which the triggers find. */
beforeAll(async () => {
	const folder = await temporaryFolder('n8n-examples', cleanup);
	world = await startWorld(folder, cleanup);
	const { store } = world.service;
	const answers = { Name: 'Ada Lovelace', Email: 'ada@example.com', Message: MESSAGE };
	store.addResponse(demoForms.contact, { answers });
	store.editSettings(demoForms.survey, { name: 'Feedback' });
}, 900_000);
afterAll(async () => await cleanup.disposeAsync());

const listJson = (run: Execution, node: string) => itemsOf(run, node).map(({ json }) => json);

/** Runs an example by hand as the demo has imported it. */
const runExample = async (file: string) => await world.n8n.rest.run(world.workflows[file]);

/** Runs a copy with all nodes enabled, and without a preview if the example has one to switch off. */
async function runForReal(file: string): Promise<Execution> {
	const { rest } = world.n8n;
	const filled = fillIn(await readExample(file), world.choices);
	const nodes = filled.nodes.map(({ parameters, ...node }) => ({
		...{ ...node, disabled: false },
		parameters: node.name === 'Update Settings' ? { ...parameters, preview: false } : parameters,
	}));
	return await rest.run(await rest.createWorkflow({ ...filled, nodes }));
}

describe('the example', () => {
	it.each([
		['act-on-new-responses.json', 'Summary', `Email: ada@example.com\\nMessage: ${MESSAGE}`],
		['all-forms-into-one-table.json', 'Row', MESSAGE],
		['all-forms-into-one-table.json', 'Convert to File', 'text/csv'],
		['get-pdfs-of-new-responses.json', 'Store the File', 'application/pdf'],
		['handle-responses-one-by-one.json', 'Handle One Response', MESSAGE],
		['keep-rows-up-to-date.json', 'New or Updated Response', MESSAGE],
		['announce-changed-forms.json', 'Message', 'The form Feedback was renamed.'],
	])('%s starts by itself: its node %s puts out %j', async (file, node, text) => {
		await world.n8n.rest.waitForExecution(world.workflows[file], (run) =>
			JSON.stringify(itemsOf(run, node)).includes(text),
		);
	});

	it('add-a-response.json adds one for each call, and add-orders-once.json one for an order that comes twice', async () => {
		const call = async (path: string, message: string) => {
			const body = JSON.stringify({ name: 'Grace', email: 'grace@example.com', message });
			const headers = { 'content-type': 'application/json' };
			return await fetch(`${world.n8n.url}/webhook/${path}`, { method: 'POST', headers, body });
		};
		expect((await call('form-service-add-response', 'By webhook')).status).toBe(200);
		for (const status of ['created', 'skipped']) {
			const reply = await call('form-service-add-order', 'Order 4711');
			expect(await reply.json()).toMatchObject({ status });
		}
		const responses = world.service.store.responses(demoForms.contact);
		const added = responses.flatMap(({ answers }) => Object.values(answers));
		const isWanted = (answer: unknown) => ['By webhook', 'Order 4711'].includes(String(answer));
		expect(added.filter(isWanted)).toEqual(['By webhook', 'Order 4711']);
	});

	it('close-and-open-forms-from-a-sheet.json previews changes at first, and then makes them', async () => {
		const file = 'close-and-open-forms-from-a-sheet.json';
		const { settings } = world.service.store.form(demoForms.contact)!;
		const [preview] = listJson(await runExample(file), 'Preview Changes');
		expect(preview).toMatchObject({ status: 'preview', changes: { is_closed: { to: true } } });
		expect(settings.is_closed).toBe(false);
		await runForReal(file);
		expect(settings.is_closed).toBe(true);
		settings.is_closed = false;
	});

	it('export-responses-into-a-table.json writes each response once', async () => {
		for (let times = 0; times < 2; times++) await runExample('export-responses-into-a-table.json');
		const rows = await world.n8n.rest.listRows(world.tables.Responses);
		expect(rows.filter(({ message }) => message === MESSAGE)).toHaveLength(1);
	});

	it('update-many-forms.json updates all open forms', async () => {
		const run = await runForReal('update-many-forms.json');
		const updated = listJson(run, 'Update Settings').map(({ status }) => status);
		expect(updated).toEqual(Array(4).fill('updated'));
		const open = world.service.store.forms().filter(({ settings }) => !settings.is_closed);
		expect(open.map(({ settings }) => settings.captcha)).toEqual(Array(4).fill('altcha'));
	});

	it('deliver-responses-again.json passes responses to the workflow that handles them', async () => {
		expect((await runExample('deliver-responses-again.json')).status).toBe('success');
	});
});
