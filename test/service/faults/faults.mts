import type { Fault } from './faultKinds.mts';
import { type FaultName, faultTable } from './faultTable.mts';

/** Which requests a fault meets, and how often. */
export type FaultRule = {
	fault: FaultName | Fault;
	/**
	 * `path` is tried on the path with its query: below the base URL for the API (`/forms`), whole for pages
	 * and files (`/pdf/...`). Without a `path` a rule meets requests to the API alone.
	 */
	match?: { method?: string; path?: RegExp };
	/** how often it strikes; always when not given */
	times?: number;
	/** how likely it strikes (0 to 1), by the numbers that `random` gives */
	probability?: number;
	random?: () => number;
};

export type Faults = ReturnType<typeof createFaults>;

/** The faults of one running service. Of the rules that are set, the first that strikes counts. */
export function createFaults() {
	let rules: FaultRule[] = [];
	return {
		/** Adds a rule; the function it gives takes the rule away. */
		set(rule: FaultRule): () => void {
			const own = { ...rule };
			rules.push(own);
			return () => {
				rules = rules.filter((other) => other !== own);
			};
		},
		clear() {
			rules = [];
		},
		/** The fault that meets this request, if any; a rule with `times` is used up by it. */
		pick(request: { method: string; path: string; isApi: boolean }): Fault | undefined {
			const rule = rules.find((candidate) => strikes(candidate, request));
			if (!rule) return undefined;
			if (rule.times !== undefined) rule.times--;
			return typeof rule.fault === 'string' ? faultTable[rule.fault] : rule.fault;
		},
	};
}

function strikes(
	{ match = {}, times = Infinity, probability = 1, random = Math.random }: FaultRule,
	{ method, path, isApi }: { method: string; path: string; isApi: boolean },
): boolean {
	if (times <= 0) return false;
	if (match.method && match.method.toUpperCase() !== method) return false;
	if (match.path ? path.search(match.path) < 0 : !isApi) return false;
	return probability >= 1 || random() < probability;
}
