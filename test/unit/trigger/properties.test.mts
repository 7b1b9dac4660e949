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

it('A notice says how soon responses arrive, unless Requests per Day changes that', () => {
	const said = (options: INodeParameters) => shown(options).filter((text) => /arrive/.test(text));
	expect(said({})).toEqual([expect.stringContaining('2 minutes × number of forms')]);
	expect(said({ requestsPerDay: 100 })).toEqual([]);
});

it.each(EVENTS)('A notice says what incomplete responses need, only where %s has them', (event) => {
	const said = shown({}, { events: [event] }).filter((text) => /Track incomplete/.test(text));
	const isOfIncomplete = ['responseStarted', 'responseAbandoned'].includes(event);
	expect(said).toHaveLength(isOfIncomplete ? 1 : 0);
});

describe('The parameters of the trigger', () => {
	/** The names of what the editor shows for these values. */
	const visible = (values: INodeParameters) =>
		triggerProperties
			.filter((one) => NodeHelpers.displayParameter(values, one, null, null))
			.map(({ name }) => name);

	const allOptions = triggerProperties.find(({ name }) => name === 'options')!
		.options as INodeProperties[];
	const visibleOptions = (values: INodeParameters & { options: INodeParameters }) =>
		allOptions
			.filter((one) => NodeHelpers.displayParameter(values.options, one, null, null, values))
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
		expect(visibleOptions(values)).toEqual(['maxPerPoll', 'requestsPerDay']);
	});

	it.each([
		['since', true],
		['all', false],
	])('include the date of Emit Existing Responses: %s, %s', (emitExisting, is) => {
		const options = visibleOptions({ events: completed, options: { emitExisting } });
		expect(options.includes('emitSince')).toBe(is);
	});
});
