import { NodeHelpers } from 'n8n-workflow';
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { triggerProperties } from '../../../nodes/FormService/trigger/properties.ts';

const notices = triggerProperties.filter(({ type }) => type === 'notice');

/** The notices that the editor shows for these options. */
function shown(options: INodeParameters): string[] {
	const values = { events: ['responseCompleted'], options };
	return notices
		.filter((notice) => NodeHelpers.displayParameter(values, notice, null, null))
		.map(({ displayName }) => displayName);
}

describe('The notice about the allowance', () => {
	it('says how many requests a day the triggers make by default, and what is left', () => {
		expect(shown({})).toEqual([expect.stringMatching(/720 requests a day.*720 of the 1,440/)]);
	});

	it('points to the option once it is set', () => {
		expect(shown({ requestsPerDay: 100 })).toEqual([expect.stringContaining('left of 1,440')]);
	});

	it.each([1_440, 5_000])('warns when the triggers take it all (%i)', (requestsPerDay) => {
		expect(shown({ requestsPerDay })).toEqual([expect.stringContaining('are refused')]);
	});
});
