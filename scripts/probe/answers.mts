import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type * as parsing from '../../nodes/FormService/api/answers/fields.ts';
import type * as reading from '../../nodes/FormService/api/answers/kinds.ts';
import type * as matching from '../../nodes/FormService/api/answers/match.ts';
import { builtFile } from '../../test/integration/n8n/built.mts';
import { REPORT, type Facts } from './report.mts';
import { showType } from './words.mts';

const answers = 'nodes/FormService/api/answers';
const { parseFields } = builtFile<typeof parsing>(`${answers}/fields.js`);
const { findKind, isNothing } = builtFile<typeof reading>(`${answers}/kinds.js`);
const { matchAnswers } = builtFile<typeof matching>(`${answers}/match.js`);

const listCounts = (names: readonly string[]) =>
	Object.entries(lodash.countBy(names)).map(([name, count]) => `${name} (${count})`);

/** By which of its names an answer names its field. */
function findNaming({ uuid, customKey, label, field }: matching.MatchedAnswer): string {
	if (uuid !== undefined) return 'UUID';
	const isKey = field?.customKey === label && field.label !== label;
	return customKey !== undefined || isKey ? 'custom key' : 'label';
}

/** How the answers of responses are read, and why not. */
export function describeAnswers(
	responses: readonly IDataObject[],
	fieldRecords: readonly IDataObject[],
): { facts: Facts; problem?: string } {
	const fields = parseFields(fieldRecords);
	const matched = responses.map((record) => matchAnswers(record, fields));
	const all = matched.flatMap((one) => one.answers);
	const given = all.filter(({ value }) => !isNothing(value));
	const withField = given.filter(({ field }) => field !== undefined).length;
	const facts = {
		'named by': listCounts(all.map(findNaming)),
		'match a field': `${withField} of ${given.length} that are not empty`,
	};
	const unread = matched.filter(({ problem }) => problem !== undefined).length;
	if (unread > 0)
		return { facts, problem: `In ${unread} of ${responses.length} responses. ${REPORT}` };
	const isAlien = given.length > 0 && withField === 0;
	return { facts, problem: isAlien ? `None matches a field. ${REPORT}` : undefined };
}

/** Types that the package reads as text on purpose; its table of kinds has all others that it knows. */
const TEXTS =
	/^(text|textarea|string|email|phone|tel|url|short_?text|long_?text|paragraph|hidden)$/;

/** The types of fields by whether the package knows them. */
export function describeTypes(fields: readonly IDataObject[]): Facts {
	const isKnown = ({ type }: IDataObject) =>
		findKind({ type }) !== 'text' || TEXTS.test(String(type));
	const [known, others] = lodash.partition(fields, isKnown).map((some) => {
		return listCounts(some.map(({ type }) => showType(type)));
	});
	return { known, 'not known, read as text': others };
}
