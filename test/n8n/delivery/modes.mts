import { lines, getVersion } from '../../../scripts/lib/n8n/install.mts';

/** A way to run n8n, and how hard the trigger is tried there. */
export type Mode = {
	/** as the figures and the command line call it */
	name: string;
	title: string;
	/** the newest n8n when not given */
	line?: string;
	env?: Record<string, string>;
	/**
	 * Whether n8n saves the trigger's state and the execution in one transaction. Then no kill explains a
	 * finding, and every other kill is aimed at a poll, in which n8n has the most to lose.
	 */
	isAtomic?: boolean;
	submissions: number;
	/** the submissions are spread over this time */
	durationMs: number;
	/** how often n8n is killed and started again meanwhile */
	kills: number;
	/** fewer requests would prove nothing: a failing service is asked less and less */
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
