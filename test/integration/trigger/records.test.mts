import { describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../../service/index.mts';
import { locator, time } from '../harness.mts';
import { HOUR_MS, serveLists } from './watching.mts';

const lists = serveLists();
const { publish } = lists;

const countFieldRequests = (requests: readonly RecordedRequest[]) =>
	requests.filter(({ path }) => path.endsWith('/fields')).length;

it('An item without Simplify has the event and the form, whatever its record has by these names', async () => {
	const { poll } = await publish({ simplify: false, watch: 'all' });
	lists.responses.push({ uuid: 'a', event: 'submitted', form: 'f-17', answer: 1 });
	lists.forms[0].name = 'Renamed';
	const form = { id: 'form', name: 'Renamed' };
	expect(await poll()).toEqual([{ uuid: 'a', answer: 1, event: 'responseCompleted', form }]);
});

it.each([
	['renamed', 'Renamed', 'Renamed'],
	['left without a name', '', 'Chosen'],
])(
	'A form that was chosen by its name and is %s has the name %j in items',
	async (_, name, shown) => {
		const formId = { ...locator('form', 'list'), cachedResultName: 'Chosen' };
		const events = ['responseCompleted', 'formUpdated'];
		const { poll } = await publish({ formId, events });
		lists.forms[0].name = name;
		lists.responses.push({ uuid: 'a', answers: {} });
		const items = await poll();
		const response = items.find(({ event }) => event === 'responseCompleted');
		expect(response?.form).toEqual({ id: 'form', name: shown });
	},
);

describe('The fields of a form, which columns are made of,', () => {
	const submit = (uuid: string, id = 'f1', label = 'Name') =>
		lists.responses.push({ uuid, responses: [{ uuid: id, label, value: uuid }] });
	const columns = { options: { columns: true } };

	it('are read with each poll that delivers, as they are then', async () => {
		const { poll, requests } = await publish(columns);
		submit('Ada');
		expect(await poll()).toMatchObject([{ Name: 'Ada' }]);
		expect(await poll()).toEqual([]);
		expect(countFieldRequests(requests)).toBe(1);
		lists.fields.push({ uuid: 'f2', label: 'City' });
		submit('Paris', 'f2', 'City');
		expect(await poll()).toMatchObject([{ Name: null, City: 'Paris' }]);
		expect(countFieldRequests(requests)).toBe(2);
	});

	it('delay a response, and lose none, while they cannot be read', async () => {
		const { poll } = await publish({ options: { columns: true, requestsPerDay: 720 } });
		submit('Ada');
		await time.sleep(HOUR_MS);
		lists.areFieldsDown = true;
		expect(await poll()).toEqual([]);
		lists.areFieldsDown = false;
		await time.sleep(HOUR_MS);
		expect(await poll()).toMatchObject([{ Name: 'Ada' }]);
	});
});
