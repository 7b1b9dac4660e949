import type { IPollFunctions } from 'n8n-workflow';
import type { Memory } from './memory';
import type { Trigger } from './world';

/** What n8n gives a poll outside of its durable mode, and what is kept to where n8n does not say. */
const DEFAULT_BUDGET_MS = 5 * 60_000;

/** How long this poll may take (n8n 2.38 and later say so). */
export function budgetOf(context: IPollFunctions): number {
	return Math.min(givenBudget(context), DEFAULT_BUDGET_MS);
}

function givenBudget(context: IPollFunctions): number {
	const { getPollBudgetMs } = context as Partial<IPollFunctions>;
	return typeof getPollBudgetMs === 'function' ? getPollBudgetMs.call(context) : DEFAULT_BUDGET_MS;
}

/**
 * Why n8n polls. An activation brings a context of its own, and polls with it once before the first
 * tick. In durable mode each tick has a context of its own too; it can be told by its budget, which
 * is 36 seconds unless n8n is set to something else. n8n activates as it starts (`init`) and when
 * another main takes over (`leadershipChange`); all other activations are a person's.
 */
export function occasionOf(context: IPollFunctions, memory: Memory): Trigger['occasion'] {
	const isDurableTick = givenBudget(context) !== DEFAULT_BUDGET_MS;
	if (!memory.isNew(context) || isDurableTick) return 'tick';
	return ['init', 'leadershipChange'].includes(context.getActivationMode()) ? 'start' : 'publish';
}
