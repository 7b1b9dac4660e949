import { lines, getVersion } from '../../../scripts/lib/n8n/install.mts';

/** A way to run n8n, and how hard the trigger is tried there. */
export type Mode = {
	name: string;
	title: string;
	/** By default, the newest n8n. */
	line?: string;
	env?: Record<string, string>;
	/** Whether n8n saves state and execution in one transaction: no kill explains a loss. */
	isAtomic?: boolean;
	submissions: number;
	durationMs: number;
	kills: number;
	/** Fewer requests would prove nothing: a failing service is asked less and less. */
	minRequests: number;
};

const long = { submissions: 300, durationMs: 300_000, kills: 5, minRequests: 6 };
const short = { submissions: 120, durationMs: 180_000, kills: 3, minRequests: 3 };

/** The modes of n8n that the trigger is tried in, while the service fails and n8n is killed. */
export const modes: Mode[] = [
	{ name: 'default', title: `n8n ${getVersion()}, default mode`, ...long },
	{
		name: 'durable',
		title: `n8n ${getVersion()}, durable mode`,
		env: {
			N8N_SCHEDULER_ENABLED: 'true',
			N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
			N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
		},
		isAtomic: true,
		...long,
	},
	...lines.slice(1).map((line) => ({
		...{ name: `v${parseInt(line)}`, title: `n8n ${getVersion(line)}`, line },
		...short,
	})),
];
