import { isEmpty, isObject, mapValues, omit, pickBy, snakeCase, union } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { parseNumber } from '../../api/parseValues';
import { isRecord, sortKeys } from '../../api/records';
import { findSetting } from '../../api/settings/settings';
import { computeFingerprint } from '../fingerprint';

/** Which attributes of a form have changed. */

/** The attributes of a form that have a value and change only if the author edits the form: fingerprints by name. */
export type AttributeFingerprints = Readonly<Record<string, string>>;

/** 24 bits: of 16 million changes, one is not seen. */
const VALUE_LENGTH = 4;

export function fingerprintAttributes(record: IDataObject): AttributeFingerprints {
	const isSet = (value: unknown) => (isObject(value) ? !isEmpty(value) : Boolean(value));
	const lasting = pickBy(
		omit(record, 'id', 'uuid'),
		(value, name) => isSet(value) && isLasting(value, name),
	);
	return mapValues(lasting, (value) => {
		const text = JSON.stringify(sortKeys(selectLasting(value)));
		return computeFingerprint(text).slice(0, VALUE_LENGTH);
	});
}

/** The names of the attributes that have changed; a list can leave out one that has no value any more. */
export function findChangedAttributes(
	before: AttributeFingerprints,
	after: AttributeFingerprints,
): string[] {
	const names = union(Object.keys(before), Object.keys(after));
	return names.filter((name) => before[name] !== after[name]).sort();
}

function selectLasting(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(selectLasting);
	return isRecord(value) ? mapValues(pickBy(value, isLasting), selectLasting) : value;
}

/** Names of attributes that change without an edit: times and statistics. */
const PASSIVE =
	/(^|_)(created|updated|modified|submitted|synced|viewed|last|latest|counts|stats|statistics|analytics)(_|$)/;

/** Words in the names of numbers that rise with responses and visits, and of their limits, which do not. */
const COUNTER =
	/(^|_)(answer|average|completion|count|entrie|number|rate|response|start|submission|total|unread|view|visit)s?(_|$)/;
const LIMIT = /(^|_)(max|min|limit)(_|$)/;

/** Whether an attribute changes only with the form, by its name. */
function isLasting(value: unknown, given: string): boolean {
	const name = snakeCase(given);
	const isCounter = parseNumber(value) !== undefined && COUNTER.test(name) && !LIMIT.test(name);
	return findSetting(given) !== undefined || (!PASSIVE.test(name) && !isCounter);
}
