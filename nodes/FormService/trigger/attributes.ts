import { clamp, isEmpty, isObject, mapValues, omit, pickBy, snakeCase, uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { readNumber } from '../api/readers';
import { isRecord, sortKeys } from '../api/records';
import { findSetting, settings } from '../api/settings/settings';
import { computeFingerprint } from './known';

/** Which attributes of a form have changed, by a text with fingerprints of names and values. Pure. */

/** With the form's ID, a text of this length has 300 bytes in the saved state: up to 88 attributes have room. */
const MAX_LENGTH = 264;

/**
 * The attributes of a form that have a value and do not change by themselves, as a text for the saved state: the
 * length of an entry (3 to 7), and an entry for each attribute, which begins with a fingerprint of its name.
 */
export function encodeAttributes(record: IDataObject): string {
	const values = listValues(record);
	const length = clamp(Math.floor(MAX_LENGTH / values.length), 3, 7);
	return [length, ...values.map((one) => makeEntry(one, length))].join('');
}

/**
 * The names of the attributes of a form that have changed.
 *
 * @param known the text of the attributes as they were
 */
export function listChanged(known: string, record: IDataObject): string[] {
	const length = Number(known[0]);
	const before: string[] = known.slice(1).match(new RegExp(`.{${length}}`, 'g')) ?? [];
	const values = listValues(record);
	const changed = values.filter((one) => !before.includes(makeEntry(one, length)));
	const keys = values.map(([name]) => makeKey(name, length));
	const gone = before
		.map((entry) => entry.slice(0, length >> 1))
		.filter((key) => !keys.includes(key));
	// the list can leave out an attribute that has no value any more
	const names = [...Object.keys(record), ...settings.map(({ name }) => name)];
	const removed = names.filter((name) => gone.includes(makeKey(name, length)));
	return uniq([...changed.map(([name]) => name), ...removed]).sort();
}

const makeKey = (name: string, length: number) => computeFingerprint(name).slice(0, length >> 1);

function makeEntry([name, value]: string[], length: number): string {
	const key = makeKey(name, length);
	return key + computeFingerprint(name + value).slice(0, length - key.length);
}

/** Attributes with their values as text. */
function listValues(record: IDataObject): string[][] {
	const isSet = (value: unknown) => (isObject(value) ? !isEmpty(value) : Boolean(value));
	return Object.entries(omit(record, 'id', 'uuid'))
		.filter(([name, value]) => isSet(value) && isLasting(value, name))
		.map(([name, value]) => [name, JSON.stringify(sortKeys(selectLasting(value)))]);
}

function selectLasting(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(selectLasting);
	return isRecord(value) ? mapValues(pickBy(value, isLasting), selectLasting) : value;
}

/** Names of what changes by itself: times and statistics. */
const PASSIVE =
	/(^|_)(created|updated|modified|submitted|synced|viewed|last|latest|counts|stats|statistics|analytics)(_|$)/;

/** Words in the names of numbers that rise with responses and visits, and of their limits, which do not. */
const COUNTER =
	/(^|_)(answer|average|completion|count|entrie|number|rate|response|start|submission|total|unread|view|visit)s?(_|$)/;
const LIMIT = /(^|_)(max|min|limit)(_|$)/;

/** Whether an attribute changes only with the form, by its name. */
function isLasting(value: unknown, given: string): boolean {
	const name = snakeCase(given);
	const isCounter = readNumber(value) !== undefined && COUNTER.test(name) && !LIMIT.test(name);
	return findSetting(given) !== undefined || (!PASSIVE.test(name) && !isCounter);
}
