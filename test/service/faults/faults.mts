import type { Fault } from './faultKinds.mts';
import { type FaultName, faultTable } from './faultTable.mts';

/** A fault, and the requests to which the fault applies. */
type FaultRule = {
	/** The fault, its name in `faultTable`, or a function that returns a fault for each request. */
	fault: FaultName | Fault | (() => Fault | undefined);
	/**
	 * The method and the path of the requests. `path` matches a path with its query. A path of the API starts
	 * after the base URL: `/forms?page=2`. A path of a page or file is complete: `/pdf/…`. Without `path`, the rule
	 * applies to all requests to the API.
	 */
	match?: { method?: string; path?: RegExp };
	/** The number of further requests that get the fault. Undefined if there is no limit. */
	times?: number;
};

export type Faults = ReturnType<typeof createFaultRegistry>;

/**
 * Creates the list of faults of a service. If several rules apply to a request, the rule that was added first
 * wins.
 */
export function createFaultRegistry() {
	let rules: FaultRule[] = [];
	return {
		set(rule: FaultRule) {
			rules.push({ ...rule });
		},
		clear() {
			rules = [];
		},
		/**
		 * Returns the fault of the first rule that applies to a request. Undefined if no rule applies. If the rule has
		 * `times`, decreases `times` by 1.
		 */
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
