import { NodeHelpers } from 'n8n-workflow';
import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { TRIGGER_EVENTS } from '../../../nodes/FormService/parameters/triggerEvents.ts';
import { triggerProperties } from '../../../nodes/FormService/trigger/triggerProperties.ts';

const find = (given: string) => triggerProperties.find(({ name }) => name === given)!;
const options = find('options').options as INodeProperties[];

/** The parameters that the editor shows for these values, and the options that it offers. */
function findShown(given: INodeParameters): INodeProperties[] {
	const values = {
		watch: 'one',
		events: ['responseCompleted'],
		simplify: true,
		options: {},
		...given,
	};
	const isShown = (property: INodeProperties, beside: INodeParameters = values) =>
		NodeHelpers.displayParameter(beside, property, null, null, values);
	const offered = options.filter((one) => isShown(one, values.options));
	const shown = triggerProperties.filter((one) => isShown(one));
	return [...shown, ...offered];
}

const listShown = (given: INodeParameters) => findShown(given).map(({ name }) => name);

const [incomplete, date] = [['trackingNotice'], ['emitSince']];
const aboutResponses = ['filters', 'nameAnswersBy', 'downloadFiles', 'columns', 'emitExisting'];

it.each<[INodeParameters, string[], string[]]>([
	[{}, ['watch', 'formId', 'requestsNotice', ...aboutResponses], ['formIds', 'exceptFormIds']],
	[{ watch: 'several' }, ['watch', 'formIds', 'requestsNotice'], ['formId', 'exceptFormIds']],
	[{ watch: 'all' }, ['watch', 'exceptFormIds'], ['formId', 'formIds']],
	[{ events: ['responseCompleted'] }, [], [...incomplete, 'abandonedAfterHours']],
	[{ events: ['responseStarted'] }, incomplete, ['abandonedAfterHours']],
	[{ events: ['responseAbandoned'] }, [...incomplete, 'abandonedAfterHours'], []],
	[{ events: ['responseUpdated'] }, ['filters'], [...incomplete, 'testNotice']],
	[{ events: ['responseUpdated', 'formUpdated'] }, ['filters', 'testNotice'], incomplete],
	[{ events: ['formUpdated'], watch: 'all' }, ['exceptFormIds'], ['requestsNotice']],
	[{ events: ['formUpdated'] }, ['formId'], [...incomplete, ...aboutResponses]],
	// Form Created watches all forms
	[{ events: ['formCreated'] }, ['exceptFormIds'], ['watch', 'formId', ...aboutResponses]],
	[{ events: ['formCreated'], watch: 'several' }, ['exceptFormIds', 'maxPerPoll'], ['formIds']],
	// it says how soon responses arrive
	[{ options: { requestsPerDay: 100 } }, ['requestsPerDay'], ['requestsNotice']],
	[{ options: { emitExisting: 'since' } }, date, []],
	[{ options: { emitExisting: 'all' } }, [], date],
])('With %j, the editor shows %j and not %j', (values, expected, hidden) => {
	const names = listShown(values);
	const both = names.filter((name) => [...expected, ...hidden].includes(name));
	expect(new Set(both)).toEqual(new Set(expected));
});

it('Each event is offered once, also in n8n’s node panel, which reads the first Trigger On', () => {
	const [events, ...others] = triggerProperties.filter((one) => one.displayName === 'Trigger On');
	expect(others).toEqual([]);
	expect(events.displayOptions).toBeUndefined();
	const values = events.options?.map((option) => (option as INodePropertyOptions).value);
	expect(values?.toSorted()).toEqual(TRIGGER_EVENTS.toSorted());
});
