import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { settingRules } from '../../test/service/specification/settingsRules.mts';
import type { Facts } from './report.mts';

/* Facts about the service that a list shows: the order, and the settings that a form has. */

/** Returns how often the next of two neighbors is larger, smaller and equal. */
function compareNeighbors(values: readonly number[]) {
	const differences = lodash.zipWith(values.slice(1), values.slice(0, -1), lodash.subtract);
	const count = (isCounted: (difference: number) => boolean) =>
		differences.filter(isCounted).length;
	return {
		rises: count((difference) => difference > 0),
		falls: count((difference) => difference < 0),
		ties: count((difference) => difference === 0),
	};
}

/** Returns whether a list rises or falls by one of its attributes: `falls, 2 of 9 times are equal`. */
function describeOrder(values: readonly number[]): string {
	if (values.length < 2) return 'unknown: there are fewer than two';
	const { rises, falls, ties } = compareNeighbors(values);
	const direction =
		rises + falls === 0
			? 'unknown: all are equal'
			: rises === 0
				? 'falls'
				: falls === 0
					? 'rises'
					: 'neither rises nor falls';
	return ties === 0 || rises + falls === 0
		? direction
		: `${direction}, ${ties} of ${values.length - 1} are equal to the one before`;
}

/** Returns whether responses are listed oldest or newest first, by time and by number. */
export function describeSorting(responses: readonly IDataObject[]): Facts {
	const times = responses.map(({ created_at: time }) => Date.parse(String(time)));
	const numbers = responses.map(({ number }) => Number(number));
	const facts = { 'by created_at': times, 'by number': numbers };
	return lodash.mapValues(facts, (values) => describeOrder(values.filter(Number.isFinite)));
}

/** Returns which settings of the specification (section 2.5) the records of forms have. */
export function describeSettings(forms: readonly IDataObject[]): Facts {
	const isShown = (name: string) => forms.some((form) => Object.hasOwn(form, name));
	const [shown, hidden] = lodash.partition(Object.keys(settingRules), isShown);
	return { shown, 'not shown': hidden };
}

/** Returns how the records of another request differ from those of the list, by identity. */
export function compareRecords(
	listed: readonly string[],
	records: readonly string[],
): { fact: string; unlistedCount: number } {
	const unlistedCount = lodash.difference(records, listed).length;
	if (records.length === 0) return { fact: 'no records', unlistedCount };
	if (unlistedCount > 0)
		return { fact: `${unlistedCount} records that are not in the list`, unlistedCount };
	const isSame = lodash.isEqual(listed.slice(0, records.length), records);
	const same = isSame && records.length === listed.length;
	return {
		fact: same ? 'the same records' : `${records.length} of the ${listed.length} records`,
		unlistedCount,
	};
}
