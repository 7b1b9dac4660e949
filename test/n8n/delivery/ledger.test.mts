import type { IRunExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { settle, triggered, unexpectedIn } from './ledger.mts';

describe('the ledger of a delivery run', () => {
	it('names what was lost and what was repeated', () => {
		const deliveries = [
			{ uuid: 'once', executionId: '1' },
			{ uuid: 'twice', executionId: '1' },
			{ uuid: 'twice', executionId: '2' },
			{ uuid: 'in one', executionId: '3' },
			{ uuid: 'in one', executionId: '3' },
		];
		expect(settle(['once', 'twice', 'in one', 'never'], deliveries)).toEqual({
			lost: ['never'],
			repeated: [
				{ uuid: 'twice', executionIds: ['1', '2'] },
				{ uuid: 'in one', executionIds: ['3', '3'] },
			],
		});
	});

	it('names what was delivered and never submitted', () => {
		const deliveries = [
			{ uuid: 'new', executionId: '1' },
			{ uuid: 'old', executionId: '1' },
			{ uuid: 'old', executionId: '2' },
		];
		expect(unexpectedIn(['new'], deliveries)).toEqual(['old']);
	});

	it('finds the items of an execution that has run', () => {
		const items = [{ json: { uuid: 'a' } }];
		const data = { resultData: { runData: { Trigger: [{ data: { main: [items] } }] } } };
		expect(triggered(data as unknown as IRunExecutionData, 'Trigger')).toEqual(items);
	});

	it('finds the items of an execution that was killed before its first node', () => {
		const items = [{ json: { uuid: 'a' } }];
		const data = {
			resultData: { runData: {} },
			executionData: {
				nodeExecutionStack: [{ node: { name: 'Trigger' }, data: { main: [items] } }],
			},
		};
		expect(triggered(data as unknown as IRunExecutionData, 'Trigger')).toEqual(items);
	});
});
