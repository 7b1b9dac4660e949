/**
 * A timestamp as the service writes it: ISO 8601 UTC with microseconds and a trailing Z (section 2.1). Whole
 * seconds, as such databases keep them, so that many records share one. `epoch` in milliseconds.
 */
export function timestamp(epoch: number): string {
	return new Date(epoch).toISOString().replace(/\.\d+Z$/, '.000000Z');
}
