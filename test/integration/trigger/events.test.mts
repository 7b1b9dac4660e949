import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { time } from '../harness.mts';
import { serveLists } from './watching.mts';

const lists = serveLists();
const { publish } = lists;

const listIds = (items: IDataObject[]) => items.map(({ uuid }) => uuid).join(' ');

describe('Emit Existing Responses Since', () => {
	const since = (emitExistingSince: string) => ({ emitExistingSince });

	beforeEach(() => {
		// midnight of January 31 in the workflow's time zone is 05:00 UTC
		const times = { late: '05:00:01', third: '05:00:00', second: '04:59:59', first: '04:00:00' };
		lists.responses = Object.entries(times).map(([uuid, clock]) => {
			return { uuid, created_at: `2026-01-31T${clock}Z` };
		});
		lists.responses.push({ uuid: 'timeless' }, { uuid: 'unreadable', created_at: 'recently' });
	});

	it.each<[string, INodeParameters, string]>([
		['none, by default', {}, ''],
		['those since a date long ago', since('2000-01-01'), 'first second third late'],
		['those of a day in the workflow’s time zone or later', since('2026-01-31'), 'third late'],
	])('starts the workflow for %s', async (_text, options, expected) => {
		const { first, poll } = await publish({ options });
		expect(listIds(first)).toBe(expected);
		// times are cut to seconds
		const [second] = new Date(time.now()).toISOString().split('.');
		lists.responses.push({ uuid: 'new', created_at: `${second}Z` }, { uuid: 'untimed' });
		expect(listIds(await poll())).toBe('new untimed');
		// what the first whole reading has not listed is new
		lists.responses.push({ uuid: 'older', created_at: '2026-01-01T00:00:00Z' });
		lists.responses.push({ uuid: 'later', created_at: '2026-02-01T00:00:00Z' });
		expect(listIds(await poll())).toBe('older later');
	});
});

it('Max Responses per Poll holds for all forms together, and the oldest of them comes first', async () => {
	lists.responses = ['11', '10'].map((hour) => ({
		uuid: hour,
		created_at: `2026-01-31T${hour}:00:00Z`,
	}));
	const options = { emitExistingSince: '2000-01-01', maxPerPoll: 3 };
	const { first, poll } = await publish({ watch: 'several', formIds: ['form', 'other'], options });
	expect([first, await poll()].map(listIds)).toEqual(['10 10 11', '11']);
});

it('Form Created watches all forms, whatever was chosen before', async () => {
	const { poll } = await publish({ events: ['formCreated'], watch: 'one' });
	lists.forms.push({ id: 'new', name: 'New', created_at: new Date(time.now()).toISOString() });
	expect(await poll()).toMatchObject([{ event: 'formCreated', form: { id: 'new' } }]);
});

it('Response Updated holds the new answers against the filters', async () => {
	const submit = (Name: string) => (lists.responses = [{ uuid: 'a', responses: { Name } }]);
	const conditions = [{ field: 'Name', operator: 'is', value: 'Grace' }];
	submit('Grace');
	const filters = { conditions: { conditions } };
	const { poll } = await publish({ events: ['responseUpdated'], filters });
	submit('Ada');
	expect(await poll()).toEqual([]);
	submit('Grace');
	expect(await poll()).toMatchObject([{ event: 'responseUpdated', answers: { Name: 'Grace' } }]);
	expect(await poll()).toEqual([]);
});

describe('Form Updated', () => {
	const events = ['formUpdated'];

	it('gives a chosen form as it is listed, with what has changed and without secrets', async () => {
		const kept = { slug: 'b', description: 'About B', created_at: '2026-11-21', updated_at: 'now' };
		lists.forms[0] = { ...lists.forms[0], ...kept, theme: 'dark' };
		const { first, poll } = await publish({ events });
		const form = { id: 'form', name: 'B' };
		const secrets = { secret: { api_token: 'hidden' }, webhook_secret: 'hidden' };
		lists.forms = [
			{ ...form, is_closed: true, responses_count: 9, ...secrets, ...kept },
			{ id: 'b' },
		];
		const changed = ['is_closed', 'name'];
		const item = { event: 'formUpdated', changed, is_closed: true, form };
		const updated = await poll();
		expect([first, updated]).toEqual([[], [expect.objectContaining({ ...item, ...kept })]]);
		expect(updated[0]).not.toHaveProperty('responses_count');
		expect(JSON.stringify(updated)).not.toContain('hidden');
		lists.forms[0] = { ...lists.forms[0], responses_count: 10, cta_label: 'Send' };
		const [raw] = await poll({ simplify: false });
		expect(raw).toMatchObject({ changed: ['cta_label'], cta_label: 'Send', responses_count: 10 });
		expect(JSON.stringify(raw)).not.toContain('hidden');
	});

	it('has the newest form with an example of what has changed as its test event', async () => {
		const days = { new: '22', other: '23' };
		for (const [id, day] of Object.entries(days))
			lists.forms.push({ id, created_at: `2026-11-${day}` });
		const { poll } = await publish({ events, watch: 'several', formIds: ['form', 'new'] });
		const [example] = await poll({}, { mode: 'manual' });
		expect(example).toMatchObject({ changed: ['is_closed'], form: { id: 'new' } });
		lists.forms = [];
		const fetching = poll({ watch: 'all' }, { mode: 'manual' });
		await expect(fetching).rejects.toThrow('There is no form to watch');
	});
});
