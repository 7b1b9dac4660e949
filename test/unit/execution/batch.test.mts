import type { IExecuteSingleFunctions, INode } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { endpoints } from '../../../nodes/FormService/api/endpoints.ts';
import type { InputItem, Run } from '../../../nodes/FormService/execution/inputItem.ts';
import { NodeTry } from '../../../nodes/FormService/execution/nodeTry.ts';
import type { PendingWrite } from '../../../nodes/FormService/execution/operation.ts';

const credential = { accessToken: 'token', baseUrl: 'https://forms.example.com' };
const n8n = {
	getNode: () => ({ name: 'Form Service', parameters: {} }) as INode,
	getCredentials: async () => await Promise.resolve(credential),
} as unknown as IExecuteSingleFunctions;

const createRun = (): Run => ({
	finalOutcomes: new Map(),
	batches: Promise.resolve(),
});

/** Adds an item for each write in a try of a run, and returns the outcomes and messages of the items. */
async function runTry(run: Run, writes: PendingWrite[], continuesOnFail = false) {
	const controller = new AbortController();
	const { signal } = controller;
	const stop = () => controller.abort();
	const shared = { batchSize: undefined, continuesOnFail, stop, signal, run };
	const nodeTry = new NodeTry({ ...shared, total: writes.length });
	const items = writes.map((write, index): InputItem => {
		const check = async () => await Promise.resolve(write);
		const prepared = { ids: { formId: 'aB3xY9' }, check };
		return { n8n, index, endpoint: endpoints.addResponse, options: { url: '' }, prepared };
	});
	for (const item of items) nodeTry.add(item);
	const outcomes = await Promise.all(items.map((item) => nodeTry.getOutcome(item)));
	return outcomes.map((outcome) => ('error' in outcome ? outcome.error.message : outcome.kind));
}

it('an item that was sent is not sent again by a later try, even if its output cannot be created', async () => {
	const sent: string[] = [];
	const createOutput = () => {
		throw new Error('odd');
	};
	const send = async () => {
		sent.push('first');
		return await Promise.resolve({ sent: 'yes' as const, isFinal: true, createOutput });
	};
	const run = createRun();
	expect(await runTry(run, [{ send }])).toEqual(['odd']);
	expect(await runTry(run, [{ send }])).toEqual(['odd']);
	expect(sent).toEqual(['first']);
});

it('the next batch is sent, even if the package itself fails in a batch', async () => {
	const run = createRun();
	expect(await runTry(run, [undefined as unknown as PendingWrite])).toEqual([
		expect.stringMatching(/undefined/),
	]);
	const send = async () =>
		await Promise.resolve({
			sent: 'yes' as const,
			isFinal: true,
			createOutput: () => ({ status: 'created' }),
		});
	expect(await runTry(run, [{ send }])).toEqual(['done']);
});
