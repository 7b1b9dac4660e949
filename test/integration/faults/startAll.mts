/**
 * Starts the work of many cases before the first is asked for, `atOnce` at a time: most of them wait
 * for pauses that are real, and waiting together costs no more than waiting once.
 *
 * @returns what gives the result of a case, or throws what the case threw
 */
export function startAll<Case, T>(
	cases: readonly Case[],
	work: (one: Case) => Promise<T>,
	atOnce: number,
): (one: Case) => Promise<T> {
	const results = new Map(cases.map((one) => [one, Promise.withResolvers<T>()]));
	const queue = [...cases];
	const takeTurns = async () => {
		for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
			await work(next).then(results.get(next)!.resolve, results.get(next)!.reject);
		}
	};
	for (const { promise } of results.values()) promise.catch(() => {});
	for (let started = 0; started < atOnce; started++) void takeTurns();
	return async (one) => await results.get(one)!.promise;
}
