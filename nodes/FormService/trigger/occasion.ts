import type { IPollFunctions } from 'n8n-workflow';
import { isNewContext } from './memory';
import { MINUTE_MS } from './schedule';

/** Why n8n polls: its schedule says so, n8n starts, or a person publishes the workflow. */
export type Occasion = 'schedule' | 'start' | 'publish';

/** What n8n gives a poll outside of its durable mode, and what is kept to if n8n does not say. */
const DEFAULT_TIME_MS = 5 * MINUTE_MS;

/** How long this poll may take, in milliseconds (n8n 2.38 and later say so). */
export function pollTimeMs(n8n: IPollFunctions): number {
	return Math.min(givenTimeMs(n8n), DEFAULT_TIME_MS);
}

function givenTimeMs(n8n: IPollFunctions): number {
	const { getPollBudgetMs } = n8n as Partial<IPollFunctions>;
	return typeof getPollBudgetMs === 'function' ? getPollBudgetMs.call(n8n) : DEFAULT_TIME_MS;
}

/**
 * Why n8n polls. An activation brings a new context, and polls with it once before the first scheduled
 * poll. In durable mode each scheduled poll has a new context too; its time identifies it, which is 36
 * seconds unless n8n is configured otherwise. n8n activates as it starts (`init`) and when another main
 * process takes over (`leadershipChange`); all other activations are a person's.
 */
export function occasionOf(n8n: IPollFunctions): Occasion {
	const isNew = isNewContext(n8n);
	if (!isNew || givenTimeMs(n8n) !== DEFAULT_TIME_MS) return 'schedule';
	return ['init', 'leadershipChange'].includes(n8n.getActivationMode()) ? 'start' : 'publish';
}
