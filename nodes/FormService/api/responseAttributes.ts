/** The attributes that an item with One Column per Field always has. */
export const COLUMN_ATTRIBUTES = ['uuid', 'number', 'created_at', 'is_incomplete', 'referrer'];

/** The attributes of a simplified response, except `answers`. Conditions can use them. */
export const SIMPLIFIED_ATTRIBUTES =
	'uuid id number number_formatted is_incomplete created_at submitted_at referrer'.split(' ');

/** Names that no answer gets in an item with One Column per Field. The trigger adds `event` and `form`. */
export const RESERVED_COLUMNS = [
	...SIMPLIFIED_ATTRIBUTES,
	...'answersError event fileError form otherAnswers'.split(' '),
];
