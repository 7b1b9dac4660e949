import type { RequestListener } from 'node:http';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { time } from '../harness.mts';
import { HOUR_MS, n8nOf, tick, watch } from './watching.mts';

/** What a service gives whose records are as odd as a test likes. */
let responses: IDataObject[];
let fields: IDataObject[];
let forms: IDataObject[];
let fieldRequests: number;

const answer: RequestListener = ({ url }, reply) => {
	const isFields = url?.includes('/fields') === true;
	if (isFields) fieldRequests += 1;
	const data = url?.includes('/responses/') ? responses : isFields ? fields : forms;
	reply.writeHead(200, { 'content-type': 'application/json' });
	reply.end(JSON.stringify({ success: true, data }));
};

let watching: (parameters?: INodeParameters) => ReturnType<typeof watch>;

beforeEach(async () => {
	[responses, fields, forms, fieldRequests] = [[], [], [{ id: 'form', name: 'A' }], 0];
	const n8n = await n8nOf(answer);
	watching = (parameters = {}) => watch(n8n, 'form', parameters);
});

const jsonOf = (items: INodeExecutionData[]) => items.map(({ json }) => json);

describe('A raw item', () => {
	it('has the event and the form that are promised, whatever its record has by these names', async () => {
		const trigger = watching({ simplify: false });
		await trigger.poll();
		responses.push({ uuid: 'a', event: 'submitted', form: 'f-17', answer: 1 });
		expect(jsonOf(await trigger.poll(tick))).toEqual([
			{ uuid: 'a', answer: 1, event: 'responseCompleted', form: { id: 'form', name: 'A' } },
		]);
	});

	it('of a new form has none of its secrets', async () => {
		const events = ['formCreated'];
		const trigger = watching({ watch: 'all', events, simplify: false });
		await trigger.poll();
		const settings = { webhook_secret: 'hidden', slack_webhook_url: 'https://hidden', cta: 'Send' };
		forms.push({
			id: 'new',
			name: 'New',
			settings,
			created_at: new Date(time.now()).toISOString(),
		});
		await time.sleep(HOUR_MS);
		const [item] = jsonOf(await trigger.poll(tick));
		expect(item).toMatchObject({ id: 'new', event: 'formCreated', settings: { cta: 'Send' } });
		expect(JSON.stringify(item)).not.toContain('hidden');
	});
});

describe('A response is the same', () => {
	const uuid = 'ABCDEF00-0000-4000-8000-00000000000A';

	it.each<[string, IDataObject, IDataObject]>([
		['when the service adds a uuid to its id', { id: 7 }, { id: 7, uuid }],
		['when its uuid changes its case', { uuid }, { uuid: uuid.toLowerCase() }],
		['when its id comes as text', { id: 7 }, { id: '7' }],
	])('%s', async (_text, before, after) => {
		responses = [before];
		const trigger = watching();
		await trigger.poll();
		responses = [after];
		expect(await trigger.poll(tick)).toEqual([]);
		responses = [after, { uuid: 'new' }];
		expect(jsonOf(await trigger.poll(tick))).toMatchObject([{ uuid: 'new' }]);
	});
});

describe('The fields of a form', () => {
	const answered = (id: string, key: string, label: string) => ({
		uuid: id,
		responses: [{ uuid: key, label, response: 'Ada' }],
	});
	const columns = { options: { columns: true } };

	it('are read again when an answer belongs to none of them', async () => {
		fields = [{ uuid: 'f1', label: 'Name' }];
		const trigger = watching(columns);
		await trigger.poll();
		responses = [answered('a', 'f1', 'Name')];
		expect(jsonOf(await trigger.poll(tick))).toMatchObject([{ Name: 'Ada' }]);
		fields = [
			{ uuid: 'f1', label: 'Name' },
			{ uuid: 'f2', label: 'City' },
		];
		responses.push(answered('b', 'f2', 'City'));
		expect(jsonOf(await trigger.poll(tick))).toMatchObject([{ Name: null, City: 'Ada' }]);
		expect(fieldRequests).toBe(2);
	});

	it('are not read again each time where an answer belongs to no field of the form', async () => {
		fields = [{ uuid: 'f1', label: 'Name' }];
		const trigger = watching(columns);
		await trigger.poll();
		for (let number = 0; number < 6; number++) {
			responses.push(answered(`${number}`, 'deleted', 'Deleted'));
			expect(await trigger.poll(tick)).toHaveLength(1);
		}
		expect(fieldRequests).toBeLessThanOrEqual(2);
	});
});

describe('Many responses at once', () => {
	it('are all delivered, oldest first, in as many polls as they need', async () => {
		const trigger = watching({ options: { emitExisting: true, maxPerPoll: 400 } });
		responses = Array.from({ length: 5_000 }, (_, index) => ({
			uuid: `r${index}`,
			number: index,
			text: 'x'.repeat(2_000),
		}));
		const numbers: unknown[] = [];
		for (let poll = 0; poll < 14; poll++) {
			numbers.push(...jsonOf(await trigger.poll(tick)).map((json) => json.number));
			await time.sleep(60_000);
		}
		expect(numbers).toEqual(responses.map(({ number }) => number));
	});
});
