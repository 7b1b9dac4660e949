import type { IExecuteData, INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../nodes/FormService/api/endpoints.ts';
import type { RequestContext } from '../../../nodes/FormService/api/requestContext.ts';
import { ItemRun } from '../../../nodes/FormService/operations/itemRun.ts';

const node = (name: string) => ({ name }) as INode;
const formService = node('Form Service');

const requestTo = (url: string, transport: RequestContext['transport']) => ({
	context: { transport } as RequestContext,
	target: { endpoint: endpoints.listForms, url },
});

const inputOf = (owner: INode, items: number): IExecuteData => ({
	node: owner,
	source: null,
	data: { main: [Array.from({ length: items }, () => ({ json: {} }))] },
});

describe('the items of a run', () => {
	it('belong together when they come from the same input, one after another', () => {
		const input = inputOf(formService, 3);
		const runs = [0, 1, 2].map((itemIndex) => ItemRun.join(input, formService, itemIndex));
		expect(new Set(runs).size).toBe(1);
		expect(runs[0].isWhole()).toBe(true);
	});

	it('are not whole while n8n has not handed over all of them', () => {
		const input = inputOf(formService, 3);
		ItemRun.join(input, formService, 0);
		expect(ItemRun.join(input, formService, 2).isWhole()).toBe(false);
	});

	it('are apart from those of a repeated run', () => {
		const input = inputOf(formService, 2);
		const first = ItemRun.join(input, formService, 0);
		first.stop(new Error('The first run failed'));
		const second = ItemRun.join(input, formService, 0);
		expect(second).not.toBe(first);
		expect(second.stopped).toBeUndefined();
	});

	it('are one at a time for a tool, whatever the agent has been given', () => {
		const input = inputOf(node('AI Agent'), 5);
		const first = ItemRun.join(input, formService, 0);
		const second = ItemRun.join(input, formService, 0);
		expect([first.isWhole(), second.isWhole()]).toEqual([true, true]);
		expect(second).not.toBe(first);
	});

	it('read a target once that they ask for alike, also when it fails', async () => {
		const run = ItemRun.join(inputOf(formService, 2), formService, 0);
		const request = requestTo('https://forms.example.com/api/v1/forms', { timeout: 1 });
		let times = 0;
		const read = async () => await Promise.reject(new Error(`Failed ${(times += 1)} time`));
		const all = await Promise.allSettled([run.once(request, read), run.once(request, read)]);
		expect(all.map((one) => one.status)).toEqual(['rejected', 'rejected']);
		expect(times).toBe(1);
	});

	it('read a target each for itself where their request options differ', async () => {
		const run = ItemRun.join(inputOf(formService, 2), formService, 0);
		const url = 'https://forms.example.com/api/v1/forms';
		const read = async (context: RequestContext) => await Promise.resolve(context.transport);
		const careless = { skipSslCertificateValidation: true };
		expect(await run.once(requestTo(url, careless), read)).toEqual(careless);
		expect(await run.once(requestTo(url, {}), read)).toEqual({});
	});
});
