import type { Fault } from './faultKinds.mts';
import { type FaultName, faultTable } from './faultTable.mts';

/** Which requests a fault meets, and how often. */
type FaultRule = {
	/** a fault, its name in the table, or what chooses one for each request that is met */
	fault: FaultName | Fault | (() => Fault | undefined);
	/**
	 * `path` is tried on the path with its query: below the base URL for the API (`/forms`), whole for pages
	 * and files (`/pdf/...`). Without a `path` a rule meets requests to the API alone.
	 */
	match?: { method?: string; path?: RegExp };
	/** how many requests it meets; all when not given */
	times?: number;
};

export type Faults = ReturnType<typeof createFaults>;

/** The faults of one running service. Of the rules that are set, the first that meets a request counts. */
export function createFaults() {
	let rules: FaultRule[] = [];
	return {
		set(rule: FaultRule) {
			rules.push({ ...rule });
		},
		clear() {
			rules = [];
		},
		/** The fault that meets this request, if any; a rule with `times` is used up by it. */
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
