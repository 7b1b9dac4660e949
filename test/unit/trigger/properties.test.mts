import { NodeHelpers } from 'n8n-workflow';
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { triggerProperties } from '../../../nodes/FormService/trigger/properties.ts';

const notices = triggerProperties.filter(({ type }) => type === 'notice');

/** The notices that the editor shows for these options. */
function shown(options: INodeParameters): string[] {
	const values = { watch: 'one', events: ['responseCompleted'], options };
	return notices
		.filter((notice) => NodeHelpers.displayParameter(values, notice, null, null))
		.map(({ displayName }) => displayName);
}

describe('The notice about the budget', () => {
	it('says how often the trigger checks by default, and why polls are skipped', () => {
		expect(shown({})).toEqual([expect.stringMatching(/every 2 minutes.*share 720 requests a day/)]);
	});

	it('points to the option once it is set', () => {
		expect(shown({ requestsPerDay: 100 })).toEqual([expect.stringContaining('set below')]);
	});

	it.each([1_440, 5_000])('warns when the triggers take it all (%i)', (requestsPerDay) => {
		expect(shown({ requestsPerDay })).toEqual([expect.stringContaining('be refused')]);
	});

	it('is one sentence, directly under the forms', () => {
		for (const { displayName } of notices) expect(displayName).not.toMatch(/[.:;]/);
		const names = triggerProperties.map(({ name }) => name);
		const under = names[names.indexOf('budgetNotice') - 1];
		expect(under).toBe('exceptFormIds');
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

	it('offer Form Created for all forms only, and each event once', () => {
		const offered = (watch: string) =>
			triggerProperties
				.filter(({ name }) => name === 'events')
				.filter((one) => NodeHelpers.displayParameter({ watch }, one, null, null))
				.flatMap(({ options = [] }) => options.map(({ name }) => name));
		const ofResponses = ['Response Abandoned', 'Response Completed', 'Response Started'];
		expect(offered('one')).toEqual(ofResponses);
		expect(offered('several')).toEqual(ofResponses);
		expect(offered('all')).toEqual(['Form Created', ...ofResponses]);
	});

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
