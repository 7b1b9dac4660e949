import { lines, versionOf } from '../../../scripts/lib/n8n/install.mts';
import type { Plan } from './run.mts';

/** A way to run n8n, and how hard the trigger is tried there. */
export type Mode = Omit<Plan, 'seed'> & {
	/** as the figures and the command line call it */
	name: string;
	title: string;
};

const long = { forms: 1, submissions: 500, durationMs: 480_000, kills: 7, atLeastRequests: 15 };
const short = { forms: 1, submissions: 120, durationMs: 180_000, kills: 3, atLeastRequests: 6 };

/** The modes of n8n that the trigger is tried in, while the service fails and n8n is killed. */
export const modes: Mode[] = [
	{
		name: 'default',
		title: `n8n ${versionOf()}, default mode`,
		env: {},
		atomic: false,
		...long,
	},
	{
		name: 'durable',
		title: `n8n ${versionOf()}, durable mode`,
		env: {
			N8N_SCHEDULER_ENABLED: 'true',
			N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
			N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
		},
		atomic: true,
		...long,
	},
	...lines.slice(1).map((line) => ({
		name: `v${parseInt(line)}`,
		title: `n8n ${versionOf(line)}`,
		line,
		env: {},
		atomic: false,
		...short,
	})),
	{
		name: 'forms',
		title: `n8n ${versionOf()}, default mode, ten forms by one trigger`,
		env: {},
		atomic: false,
		forms: 10,
		submissions: 300,
		durationMs: 240_000,
		kills: 4,
		atLeastRequests: 25,
	},
];
