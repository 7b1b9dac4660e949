import type { INode } from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lines, versionOf } from '../../scripts/lib/n8n/install.mts';
import { type WorkflowFile, workflowNode } from '../../scripts/lib/n8n/rest.mts';
import { demoForms } from '../service/index.mts';
import { ended, type Instance, startInstance, startUnlimited } from './instance.mts';

const START_TIMEOUT_MS = 900_000;

const rows = [
	{ formId: demoForms.contact, row: 1 },
	{ formId: 'Nobody', row: 2 },
	{ formId: demoForms.survey, row: 3 },
];

/** Updates the form of each row, of which one does not exist. */
function workflowWith(credential: Instance['credential'], onError: INode['onError']): WorkflowFile {
	const next = (name: string) => ({ main: [[{ node: name, type: 'main' as const, index: 0 }]] });
	return {
		name: `Error output: ${onError}`,
		nodes: [
			workflowNode('Start', 'n8n-nodes-base.manualTrigger'),
			workflowNode('Rows', 'n8n-nodes-base.set', {
				typeVersion: 3.4,
				parameters: { mode: 'raw', jsonOutput: JSON.stringify({ rows }), options: {} },
			}),
			workflowNode('Split Out', 'n8n-nodes-base.splitOut', {
				parameters: { fieldToSplitOut: 'rows', options: {} },
			}),
			workflowNode('Update', 'n8n-nodes-formservice.formService', {
				credentials: { formServiceApi: credential },
				onError,
				parameters: {
					resource: 'settings',
					operation: 'update',
					formId: { __rl: true, mode: 'id', value: '={{ $json.formId }}' },
					inputMode: 'fields',
					settings: { seo_title: 'Title' },
				},
			}),
		],
		connections: { Start: next('Rows'), Rows: next('Split Out'), 'Split Out': next('Update') },
		settings: { executionOrder: 'v1' },
	};
}

describe.each(lines.map((line) => [versionOf(line), line] as const))('n8n %s', (_version, line) => {
	const cleanup = new AsyncDisposableStack();
	let instance: Instance;
	beforeAll(async () => {
		const service = await startUnlimited(cleanup);
		instance = await startInstance(service, {}, cleanup, line);
	}, START_TIMEOUT_MS);
	afterAll(async () => await cleanup.disposeAsync());

	/** What comes out of the node's outputs. */
	async function outputsOf(onError: INode['onError']) {
		const { rest } = instance.n8n;
		const id = await rest.createWorkflow(workflowWith(instance.credential, onError));
		const execution = await ended(instance, await rest.run(id, 'Start'));
		expect(execution.status).toBe('success');
		const { main } = execution.data.resultData.runData.Update[0].data!;
		return main.map((items) => (items ?? []).map(({ json }) => json));
	}

	const failed = { ...rows[1], error: expect.stringMatching(/\w/) };

	it('shows the input of an item that failed beside its error, where the node continues', async () => {
		const [items] = await outputsOf('continueRegularOutput');
		expect(items).toHaveLength(3);
		expect(items[1]).toEqual(failed);
	});

	it('shows it on the error output as well, and no success there', async () => {
		const [succeeded, items] = await outputsOf('continueErrorOutput');
		expect(succeeded.map(({ id }) => id)).toEqual([demoForms.contact, demoForms.survey]);
		expect(items).toEqual([failed]);
	});
});
