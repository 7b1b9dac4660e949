import { encodeAnswers } from '../../api/answers/encode';
import type { AnswerValue } from '../../api/answers/encode';
import { isRecord } from '../../api/records';
import type { Input } from '../../routing/operation';
import { readJsonObject } from '../common/input';
import { invalidAll } from '../common/invalid';

/**
 * The answers that were given as JSON, by field UUID, as they are sent.
 *
 * @throws NodeOperationError that names every answer that cannot be sent
 */
export function readAnswersFromJson(input: Input): Record<string, AnswerValue> {
	const given = Object.entries(readJsonObject(input, 'answersJson', 'Answers (JSON)'));
	if (given.length === 1 && given[0][0] === 'data' && isRecord(given[0][1])) {
		throw invalidAll(input, ['Give Answers (JSON) without "data" around them.']);
	}
	const { answers, problems } = encodeAnswers(
		given.map(([uuid, value]) => ({ uuid, name: uuid, value })),
	);
	if (problems.length > 0) throw invalidAll(input, problems);
	if (Object.keys(answers).length === 0) {
		throw invalidAll(input, ['Answers (JSON) must have an answer to at least one field.']);
	}
	return answers;
}
