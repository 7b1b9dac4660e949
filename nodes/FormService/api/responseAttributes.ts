/** The service's own attributes of a response that One Column per Field always gives. */
export const COLUMN_ATTRIBUTES = ['uuid', 'number', 'created_at', 'is_incomplete', 'referrer'];

/** The attributes that simplified output keeps in addition to `answers`, and that a condition can be on. */
export const SIMPLIFIED_ATTRIBUTES =
	'uuid id number number_formatted is_incomplete created_at submitted_at referrer'.split(' ');

/** Names that an item in columns has besides those of its answers; `event` and `form` are the trigger's. */
export const RESERVED_COLUMNS = [
	...SIMPLIFIED_ATTRIBUTES,
	...'answersError event fileError form otherAnswers'.split(' '),
];
