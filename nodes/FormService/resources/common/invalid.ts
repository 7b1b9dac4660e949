import { inputError } from '../../api/errors';
import type { Input } from '../../routing/operation';

/** An error in what an item brings. */
export function invalid(
	{ node, itemIndex }: Input,
	message: string,
	description = 'Nothing was sent. Correct the input and run again.',
) {
	return inputError(node, { message, description, itemIndex });
}

/** How many problems fit into the headline of an error; the description has them all. */
const MAX_HEADLINE_PROBLEMS = 3;

/**
 * An error that names all that is wrong with an item.
 *
 * @param problems sentences, at least one
 */
export function invalidAll(input: Input, problems: readonly string[]) {
	const rest = problems.length - MAX_HEADLINE_PROBLEMS;
	const headline = problems.slice(0, MAX_HEADLINE_PROBLEMS);
	if (rest > 0) headline.push(`${rest} more to correct.`);
	return invalid(input, headline.join(' '), problems.length > 1 ? problems.join('\n') : undefined);
}
