/** The attributes of a response that always become columns if the user chooses One Column per Field. */
export const COLUMN_ATTRIBUTES = ['uuid', 'number', 'created_at', 'is_incomplete', 'referrer'];

/** The attributes of a simplified response, in addition to `answers`. Conditions can compare these attributes. */
export const SIMPLIFIED_ATTRIBUTES =
	'uuid id number number_formatted is_incomplete created_at submitted_at referrer'.split(' ');

/**
 * The names that the column of an answer cannot have, because attributes of an item have these names. Only
 * items of the trigger have the attributes `event` and `form`.
 */
export const RESERVED_COLUMNS = [
	...SIMPLIFIED_ATTRIBUTES,
	...'answersError event fileError form otherAnswers'.split(' '),
];
