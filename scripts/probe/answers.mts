import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type * as decoding from '../../nodes/FormService/api/answers/decode.ts';
import type * as parsing from '../../nodes/FormService/api/answers/fields.ts';
import type * as reading from '../../nodes/FormService/api/answers/kinds.ts';
import type * as matching from '../../nodes/FormService/api/answers/match.ts';
import { builtFile } from '../../test/integration/n8n/built.mts';
import { REPORT, type Problem } from './problems.mts';
import type { Section } from './report.mts';
import { describeAttributes, describeType } from './shapes.mts';
import { showType } from './vocabulary.mts';

const answers = 'nodes/FormService/api/answers';
const { getAnswerAttributes } = builtFile<typeof decoding>(`${answers}/decode.js`);
const { parseFields } = builtFile<typeof parsing>(`${answers}/fields.js`);
const { isNothing } = builtFile<typeof reading>(`${answers}/kinds.js`);
const { matchAnswers } = builtFile<typeof matching>(`${answers}/match.js`);

/** By which of its names an answer names its field. */
function findNaming({ uuid, customKey, label, field }: matching.MatchedAnswer): string {
	if (uuid !== undefined) return 'UUID';
	const isKey = field?.customKey === label && field.label !== label;
	return customKey !== undefined || isKey ? 'custom key' : 'label';
}

/** Where the answers of a response are, without the names in a map, which are labels. */
function describeContainer(record: IDataObject): string {
	const names = getAnswerAttributes(record).filter((name) => Object.hasOwn(record, name));
	const [name = ''] = names.filter((one) => !lodash.isEmpty(record[one])).concat(names);
	if (name === '') return 'no known place';
	const value: unknown = record[name];
	if (!Array.isArray(value)) return `${name}, ${describeType(value)}`;
	const entries = Object.values(describeAttributes(value.filter(lodash.isPlainObject)));
	const inside = entries.length === 0 ? '' : ` {${entries.flat().sort().join(', ')}}`;
	return `${name}, ${describeType(value)}${inside}`;
}

/** How the answers of responses are read, and what of them is not. */
export function describeAnswers(
	responses: readonly IDataObject[],
	fieldRecords: readonly IDataObject[],
): { section: Section; problems: Problem[] } {
	const fields = parseFields(fieldRecords);
	const matched = responses.map((record) => matchAnswers(record, fields));
	const all = matched.flatMap((one) => one.answers);
	const given = all.filter(({ value }) => !isNothing(value));
	const withField = given.filter(({ field }) => field !== undefined);
	const unread = matched.filter(({ problem }) => problem !== undefined).length;
	const namings = Object.entries(lodash.countBy(all, findNaming));
	const reasons = [
		unread > 0 && `not readable in ${unread} of ${responses.length} responses`,
		given.length > 0 && withField.length === 0 && 'none matches a field',
	];
	return {
		section: {
			title: 'Answers',
			facts: {
				'found in': lodash.uniq(responses.map(describeContainer)),
				'named by': namings.map(([name, count]) => `${name} (${count})`),
				'match a field': `${withField.length} of ${given.length} that are not empty`,
				'not readable': `in ${unread} of ${responses.length} responses`,
			},
		},
		problems: reasons
			.filter((why) => why !== false)
			.map((why) => ({ what: 'answers', why, advice: REPORT })),
	};
}

/** The types of fields by whether the package knows them. */
export function describeTypes(fields: readonly IDataObject[]): {
	section: Section;
	hasUnknown: boolean;
} {
	const shown = fields.map(({ type }) => showType(type));
	const [known, others] = lodash.partition(shown, 'isKnown').map((some) => {
		const counts = Object.entries(lodash.countBy(some, 'shown'));
		return counts.map(([type, count]) => `${type} (${count})`);
	});
	const facts = { known, 'not known, read as text': others };
	return { section: { title: 'Types of fields', facts }, hasUnknown: others.length > 0 };
}
