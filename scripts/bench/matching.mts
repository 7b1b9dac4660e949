import { setImmediate } from 'node:timers/promises';
import type * as parsing from '../../nodes/FormService/api/answers/fields.ts';
import type * as finding from '../../nodes/FormService/api/answers/findResponses.ts';
import type * as showing from '../../nodes/FormService/api/answers/responseItem.ts';
import { builtFile } from '../../test/integration/n8n/package.mts';
import { cpuTimeOf } from '../../test/unit/cpuTime.mts';
import type { Table } from './main.mts';
import { formatCount, formatMs, measureProcessorTime } from './measure.mts';

const built = <T,>(file: string) => builtFile<T>(`nodes/FormService/api/answers/${file}.js`);
const output = { simplify: true, columns: true } as showing.ResponseOutput;

/** What Get Many does with a listing for some items. The responses meet the condition of the last item. */
async function measureItems(items: number, responses: number, answers: number): Promise<string[]> {
	const labels = Array.from({ length: answers }, (_, id) => ({ id, label: `Question ${id}` }));
	const fields = built<typeof parsing>('fields').parseFields(labels, output);
	const records = Array.from({ length: responses }, (_, number) => {
		const own = labels.map(({ label }) => ({ key: label, value: `Answer ${number}` }));
		return { number, responses: own };
	});
	const runItem = async (_: unknown, index: number) => {
		const operator = index === items - 1 ? 'isNotEmpty' : 'isEmpty';
		const conditions = [{ field: 'Question 1', operator, value: '' } as const];
		const wanted = { sort: 'newest', conditions: { match: 'all', conditions, zone: '' } } as const;
		const { findResponses } = built<typeof finding>('findResponses');
		const { toResponseItem } = built<typeof showing>('responseItem');
		for (const record of await findResponses(records, wanted, fields))
			await toResponseItem({} as never, record, output, fields);
	};
	let [isDone, longestMs] = [false, 0];
	const tookMs = await measureProcessorTime(async () => {
		const work = Promise.all(Array.from({ length: items }, runItem)).finally(() => (isDone = true));
		while (!isDone) longestMs = Math.max(longestMs, await cpuTimeOf(setImmediate));
		await work;
	});
	const sizes = [items, responses, answers].map(formatCount);
	return [...sizes, formatMs(tookMs), formatMs(longestMs)];
}

/** What it costs to match the answers of a large form with its fields. */
export async function measureMatching(): Promise<Table> {
	await measureItems(1, 1_000, 80);
	const rows = [await measureItems(1, 10_000, 80), await measureItems(30, 10_000, 80)];
	return {
		title: 'Answers of large forms',
		text: 'Get Many in columns and with a condition, after the listing is parsed. Goals for 10,000 responses of 80 answers: 1.7 s of processor time, and no piece over 50 ms.',
		head: ['Items', 'Responses', 'Answers', 'Processor time', 'Longest piece'],
		rows,
	};
}
