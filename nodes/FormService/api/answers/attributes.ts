/** The service's own attributes of a response that One Column per Field always gives. */
export const COLUMN_ATTRIBUTES = ['uuid', 'number', 'created_at', 'is_incomplete'];

/** The attributes that simplified output keeps: who, which and when, at most ten. */
export const KEPT_ATTRIBUTES = [
	'uuid',
	'id',
	'number',
	'number_formatted',
	'is_incomplete',
	'created_at',
	'updated_at',
	'submitted_at',
	'completed_at',
	'referrer',
];

/** All attributes of a response that have been seen; the specification leaves them open (section 2.4). */
export const RESPONSE_ATTRIBUTES = [
	...KEPT_ATTRIBUTES,
	'enrich',
	'google_sheets_sync',
	'google_sheets_synced_at',
	'hubspot_sync',
	'hubspot_sync_completed',
	'webhook_sent',
];

/** Names that an item in columns has besides those of its answers; `event` and `form` are the trigger's. */
export const RESERVED_COLUMNS = [
	...KEPT_ATTRIBUTES,
	'answersError',
	'event',
	'fileError',
	'form',
	'matchedByPosition',
	'otherAnswers',
];
