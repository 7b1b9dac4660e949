import { NodeHelpers } from 'n8n-workflow';
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { triggerProperties } from '../../../nodes/FormService/trigger/properties.ts';

const notices = triggerProperties.filter(({ type }) => type === 'notice');

/** The notices that the editor shows for these options. */
function shown(options: INodeParameters, more: INodeParameters = {}): string[] {
	const values = { watch: 'one', events: ['responseCompleted'], options, ...more };
	return notices
		.filter((notice) => NodeHelpers.displayParameter(values, notice, null, null))
		.map(({ displayName }) => displayName);
}

describe('The notice about the daily allowance', () => {
	it('says how often the trigger polls by default, and where to change that', () => {
		expect(shown({})).toEqual([
			"The trigger polls at most every 2 minutes, even if 'Poll Times' are more frequent, to stay within 720 requests a day. To change this, set 'Requests per Day' in the options.",
		]);
	});

	it.each([{ watch: 'several' }, { watch: 'all' }, { events: ['formCreated'] }])(
		'says what it comes to for each of several forms (%j)',
		(more) => {
			expect(shown({}, more)).toEqual([
				expect.stringContaining('with 12 forms, each is polled about every 24 minutes'),
			]);
		},
	);

	it('names the option once it is set', () => {
		expect(shown({ requestsPerDay: 100 })).toEqual([
			expect.stringContaining('in the options below'),
		]);
	});

	it.each([1_440, 5_000])('warns when the triggers take it all (%i)', (requestsPerDay) => {
		expect(shown({ requestsPerDay })).toEqual([expect.stringContaining('be refused')]);
	});

	it('stands directly under the forms', () => {
		const names = triggerProperties.map(({ name }) => name);
		expect(names[names.indexOf('allowanceNotice') - 1]).toBe('exceptFormIds');
	});
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
	])('are, for %s of the forms, %j', (watch, expected) => {
		const names = visible({ watch, events: [], options: {} });
		expect(names.filter((name) => /FormIds?$|^formIds?$/.test(name))).toEqual(expected);
	});

	it('offer each event once, also to n8n’s node panel, which reads the first Trigger On', () => {
		const [events, ...others] = triggerProperties.filter(
			({ displayName }) => displayName === 'Trigger On',
		);
		expect(others).toEqual([]);
		expect(events.displayOptions).toBeUndefined();
		expect(events.options?.map(({ name }) => name)).toEqual([
			'Form Created',
			'Response Abandoned',
			'Response Completed',
			'Response Started',
		]);
	});

	it.each(['one', 'several', 'all'])(
		'ask for no form where Form Created is chosen, which concerns all (%s)',
		(watch) => {
			const names = visible({ watch, events: ['formCreated'], options: {} });
			const ofForms = names.filter((name) => /FormIds?$|^formIds?$|^watch$/.test(name));
			expect(ofForms).toEqual(['exceptFormIds']);
		},
	);

	it('ask for the hours only where they count', () => {
		const names = (event: string) => visible({ watch: 'one', events: [event], options: {} });
		expect(names('responseAbandoned')).toContain('abandonedAfterHours');
		expect(names('responseCompleted')).not.toContain('abandonedAfterHours');
	});

	it('have their options in alphabetical order', () => {
		for (const { options } of triggerProperties) {
			const names = (options ?? []).map((option) =>
				'displayName' in option ? option.displayName : option.name,
			);
			expect(names).toEqual([...names].sort());
		}
	});
});
