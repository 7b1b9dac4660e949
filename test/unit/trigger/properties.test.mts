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
	it('says how often the form is polled, whatever Poll Times says, and how to change that', () => {
		expect(shown({})).toEqual([
			"Polls the form about every 2 minutes, even if Poll Times is shorter. To change this, set 'Requests per Day' in the options.",
		]);
	});

	it.each<[INodeParameters, string]>([
		[{ watch: 'several' }, '12 forms are each polled about every 24 minutes.'],
		[{ watch: 'all' }, '12 forms are each polled about every 24 minutes.'],
		[{ events: ['formCreated'] }, 'Polls the list of forms about every 2 minutes'],
		[{ events: ['formCreated', 'responseStarted'] }, 'and the list of forms about every hour'],
	])('says how often forms or the list of forms are polled for %j', (more, text) => {
		expect(shown({}, more)).toEqual([expect.stringContaining(text)]);
	});

	it('points to the option below once it is set', () => {
		expect(shown({ requestsPerDay: 100 })).toEqual([
			expect.stringContaining('in the options below'),
		]);
	});

	it.each([1_440, 5_000])(
		'warns if it leaves no requests for other nodes (%i)',
		(requestsPerDay) => {
			expect(shown({ requestsPerDay })).toEqual([expect.stringContaining('be refused')]);
		},
	);
});

describe('The parameters of the trigger', () => {
	/** The names of what the editor shows for these values. */
	const visible = (values: INodeParameters) =>
		triggerProperties
			.filter((one) => NodeHelpers.displayParameter(values, one, null, null))
			.map(({ name }) => name);

	it.each([
		['one', ['formId']],
		['several', ['formIds']],
		['all', ['exceptFormIds']],
	])('with Watch set to %s are %j', (watch, expected) => {
		const names = visible({ watch, events: [], options: {} });
		expect(names.filter((name) => /FormIds?$|^formIds?$/.test(name))).toEqual(expected);
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

	it.each(['one', 'several', 'all'])(
		'include no chosen form with Form Created, which watches all forms (%s)',
		(watch) => {
			const names = visible({ watch, events: ['formCreated'], options: {} });
			const ofForms = names.filter((name) => /FormIds?$|^formIds?$|^watch$/.test(name));
			expect(ofForms).toEqual(['exceptFormIds']);
		},
	);

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
