import type { Fault } from './faultKinds.mts';
import { type FaultName, faultTable } from './faultTable.mts';

/** The requests to which a fault applies, and how often. */
type FaultRule = {
	/** A fault, its name in the table, or a function that chooses a fault for each request. */
	fault: FaultName | Fault | (() => Fault | undefined);
	/**
	 * The path with its query must match `path`: below the base URL for the API (`/forms`), whole for pages and
	 * files (`/pdf/…`). Without `path`, the rule applies only to requests to the API.
	 */
	match?: { method?: string; path?: RegExp };
	/** How many requests the rule applies to; by default, all. */
	times?: number;
};

export type Faults = ReturnType<typeof createFaults>;

/** Creates the faults of a running service. If several rules apply to a request, the first counts. */
export function createFaults() {
	let rules: FaultRule[] = [];
	return {
		set(rule: FaultRule) {
			rules.push({ ...rule });
		},
		clear() {
			rules = [];
		},
		/** Returns the fault of this request, if any. Counts the request for a rule with `times`. */
		pick(request: { method: string; path: string; isApi: boolean }): Fault | undefined {
			const rule = rules.find(({ match = {}, times = Infinity }) => {
				const isMethod = !match.method || match.method.toUpperCase() === request.method;
				const isPath = match.path ? request.path.search(match.path) >= 0 : request.isApi;
				return times > 0 && isMethod && isPath;
			});
			if (!rule) return undefined;
			if (rule.times !== undefined) rule.times--;
			if (typeof rule.fault === 'function') return rule.fault();
			return typeof rule.fault === 'string' ? faultTable[rule.fault] : rule.fault;
		},
	};
}
