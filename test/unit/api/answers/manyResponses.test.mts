import { setImmediate } from 'node:timers/promises';
import { sum } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { parseFields } from '../../../../nodes/FormService/api/answers/fields.ts';
import { findResponses } from '../../../../nodes/FormService/api/answers/findResponses.ts';
import { hasUnmatchedAnswers } from '../../../../nodes/FormService/api/answers/match.ts';
import {
	toResponseItem,
	type ResponseOutput,
} from '../../../../nodes/FormService/api/answers/responseItem.ts';
import { cpuTimeOf } from '../../cpuTime.mts';

const output = { simplify: true, columns: true } as ResponseOutput;

/** Filters 10,000 responses of 80 answers by a condition that all meet, and turns them into columns. */
async function readResponses(): Promise<number> {
	const labels = Array.from({ length: 80 }, (_, index) => `Question ${index}`);
	const fields = parseFields(
		labels.map((label, id) => ({ id, label })),
		output,
	);
	const records = Array.from({ length: 10_000 }, (_, number): IDataObject => {
		return { number, responses: labels.map((key) => ({ key, value: `Answer ${number}` })) };
	});
	const condition = { field: 'Question 1', operator: 'isNotEmpty', value: '' } as const;
	const conditions = { match: 'all', conditions: [condition], zone: 'utc' } as const;
	const wanted = { text: 'answer', sort: 'newest', conditions } as const;
	const found = await findResponses(records, wanted, fields);
	await hasUnmatchedAnswers(found, fields);
	for (const record of found) await toResponseItem({} as never, record, output, fields);
	return found.length;
}

it('10,000 responses of 80 answers take 1.7 s of processor time, and no piece more than 50 ms', async () => {
	const piecesMs: number[] = [];
	let isDone = false;
	const reading = readResponses().finally(() => (isDone = true));
	while (!isDone) piecesMs.push(await cpuTimeOf(setImmediate));
	expect(await reading).toBe(10_000);
	expect(sum(piecesMs)).toBeLessThan(1_700);
	expect(Math.max(...piecesMs)).toBeLessThan(50);
});
