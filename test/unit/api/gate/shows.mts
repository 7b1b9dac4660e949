/** The headers of a reply that show the allowance (specification, section 8). */
export const shows = (remaining: number, limit = 60) => ({
	'x-ratelimit-limit': String(limit),
	'x-ratelimit-remaining': String(remaining),
});
