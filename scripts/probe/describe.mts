import lodash from 'lodash';
import type * as envelopes from '../../nodes/FormService/api/envelope.ts';
import { builtFile } from '../../test/integration/n8n/built.mts';

const { describeShape } = builtFile<typeof envelopes>('nodes/FormService/api/envelope.js');

/** Matches what services name attributes and types, such as `created_at`; labels rarely look like this. */
const SERVICE_WORD = /^[a-z]{1,20}([-_][a-z]{1,20}){0,4}([-_]?\d{1,2})?$/;

/** Whether a text is a name of the service, and not a word of a person. */
export const isServiceWord = (text: string): boolean => SERVICE_WORD.test(text);

/** Returns the words of a service, and the number of all other texts: `email, text, 2 others`. */
export function showWords(texts: readonly string[]): string {
	const [words, others] = lodash.partition(lodash.uniq(texts), isServiceWord);
	return [...words, ...(others.length > 0 ? [`${others.length} others`] : [])].join(', ');
}

/** Describes a value by its names and types. Names that can be a person's words become "others". */
export const showShape = (value: unknown): string =>
	describeShape(
		lodash.isPlainObject(value)
			? lodash.mapKeys(value as object, (_, name) => (isServiceWord(name) ? name : 'others'))
			: value,
	);
