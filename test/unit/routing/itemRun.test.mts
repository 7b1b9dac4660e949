import type { IExecuteData, INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { joinRun } from '../../../nodes/FormService/routing/itemRun.ts';

const node = (name: string) => ({ name }) as INode;
const formService = node('Form Service');

const inputOf = (owner: INode, items: number): IExecuteData => ({
	node: owner,
	source: null,
	data: { main: [Array.from({ length: items }, () => ({ json: {} }))] },
});

describe('the items of a run', () => {
	it('belong together when they come from the same input, one after another', () => {
		const input = inputOf(formService, 3);
		const runs = [0, 1, 2].map((itemIndex) => joinRun(input, formService, itemIndex));
		expect(new Set(runs).size).toBe(1);
		expect(runs[0].isWhole).toBe(true);
	});

	it('are not whole while n8n has not handed over all of them', () => {
		const input = inputOf(formService, 3);
		joinRun(input, formService, 0);
		expect(joinRun(input, formService, 2).isWhole).toBe(false);
	});

	it('are apart from those of a repeated run', () => {
		const input = inputOf(formService, 2);
		const first = joinRun(input, formService, 0);
		first.stop(new Error('The first run failed'));
		const second = joinRun(input, formService, 0);
		expect(second).not.toBe(first);
		expect(second.stopped).toBeUndefined();
	});

	it('are one at a time for a tool, whatever the agent has been given', () => {
		const input = inputOf(node('AI Agent'), 5);
		const first = joinRun(input, formService, 0);
		const second = joinRun(input, formService, 0);
		expect([first.isWhole, second.isWhole]).toEqual([true, true]);
		expect(second).not.toBe(first);
	});

	it('share work that they name alike, also when it fails', async () => {
		const run = joinRun(inputOf(formService, 2), formService, 0);
		let times = 0;
		const work = async () => await Promise.reject(new Error(`Failed ${(times += 1)} time`));
		const all = await Promise.allSettled([run.once('list', work), run.once('list', work)]);
		expect(all.map((one) => one.status)).toEqual(['rejected', 'rejected']);
		expect(times).toBe(1);
	});
});
