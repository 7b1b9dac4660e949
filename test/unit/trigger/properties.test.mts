import { NodeHelpers } from 'n8n-workflow';
import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { EVENTS } from '../../../nodes/FormService/parameters/watched.ts';
import { triggerProperties } from '../../../nodes/FormService/trigger/properties.ts';

const notices = triggerProperties.filter(({ type }) => type === 'notice');

/** The notices that the editor shows for these options. */
function shown(options: INodeParameters, more: INodeParameters = {}): string[] {
	const values = { watch: 'one', events: ['responseCompleted'], options, ...more };
	return notices
		.filter((notice) => NodeHelpers.displayParameter(values, notice, null, null))
		.map(({ displayName }) => displayName);
}

describe('The notice about Requests per Day', () => {
	it('says how often the form is checked, whatever Poll Times says, and how to change that', () => {
		expect(shown({})).toEqual([
			"Checks the form no more than once every 2 minutes, even if Poll Times runs more often. To change this, set 'Requests per Day' in the options.",
		]);
	});

	it.each<[INodeParameters, string]>([
		[{ watch: 'several' }, 'With 12 forms, each is checked about every 24 minutes.'],
		[{ watch: 'all' }, 'With 12 forms, each is checked about every 24 minutes.'],
		[{ events: ['formCreated'] }, 'Checks the list of forms no more than once every 2 minutes'],
		[{ events: ['formCreated', 'responseStarted'] }, 'and the list of forms about once an hour'],
	])('says how often forms or the list of forms are checked for %j', (more, text) => {
		expect(shown({}, more)).toEqual([expect.stringContaining(text)]);
	});

	it.each([
		[100, 'in the options below'],
		// leaves no requests for other nodes
		[1_440, 'be refused'],
		[5_000, 'be refused'],
	])('points to the option once it is set, or warns (%i)', (requestsPerDay, text) => {
		expect(shown({ requestsPerDay })).toEqual([expect.stringContaining(text)]);
	});
});

describe('The parameters of the trigger', () => {
	/** The names of what the editor shows for these values. */
	const visible = (values: INodeParameters) =>
		triggerProperties
			.filter((one) => NodeHelpers.displayParameter(values, one, null, null))
			.map(({ name }) => name);

	const completed = ['responseCompleted'];
	it.each([
		['one', completed, ['formId']],
		['several', completed, ['formIds']],
		['all', completed, ['exceptFormIds']],
		// Form Created watches all forms
		['one', ['formCreated'], ['exceptFormIds']],
		['several', ['formCreated'], ['exceptFormIds']],
	])('with Watch set to %s and the events %j are %j', (watch, events, expected) => {
		const names = visible({ watch, events, options: {} });
		expect(names.filter((name) => /FormIds?$|^formIds?$/.test(name))).toEqual(expected);
		expect(names.includes('watch')).toBe(events === completed);
	});

	it('offer each event once, also to n8n’s node panel, which reads the first Trigger On', () => {
		const [events, ...others] = triggerProperties.filter(
			({ displayName }) => displayName === 'Trigger On',
		);
		expect(others).toEqual([]);
		expect(events.displayOptions).toBeUndefined();
		const values = events.options?.map((option) => (option as INodePropertyOptions).value);
		expect(values?.toSorted()).toEqual(EVENTS.toSorted());
	});

	it('include the hours only with Response Abandoned', () => {
		const names = (event: string) => visible({ watch: 'one', events: [event], options: {} });
		expect(names('responseAbandoned')).toContain('abandonedAfterHours');
		expect(names('responseCompleted')).not.toContain('abandonedAfterHours');
	});

	it('are only about forms if only Form Created is chosen', () => {
		const names = visible({ watch: 'one', events: ['formCreated'], simplify: true, options: {} });
		expect(names).not.toContain('filters');
		const values = { events: ['formCreated'], simplify: true, options: { downloadFiles: true } };
		const { options = [] } = triggerProperties.find(({ name }) => name === 'options')!;
		const shownOptions = (options as INodeProperties[])
			.filter((one) => NodeHelpers.displayParameter(values.options, one, null, null, values))
			.map(({ name }) => name);
		expect(shownOptions).toEqual(['maxPerPoll', 'requestsPerDay']);
	});
});
