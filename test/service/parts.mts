import type { Socket } from 'node:net';
import type { Faults } from './faults/faults.mts';
import type { Limits, Usage } from './specification/limiter.mts';
import type { RecordedRequest } from './call.mts';
import type { Shapes } from './specification/shapes.mts';
import type { Store } from './store/store.mts';

/** The limits of a running service; a change holds from the next request on. */
export type LimitControl = Limits & {
	/** whether the body of a refusal leaves out `success: false`, as some do */
	bareRefusals: boolean;
	/** forgets what every account has used */
	reset(): void;
};

/** What the routes of one running service share. */
export type Parts = {
	store: Store;
	faults: Faults;
	shapes: Shapes;
	limits: LimitControl;
	/** by account */
	usage: Map<number, Usage>;
	/** what reached the API, and what reached the pages and files */
	requests: RecordedRequest[];
	visits: RecordedRequest[];
	now: () => number;
	/** see ServiceOptions */
	wait: (milliseconds: number, connection: Socket) => Promise<void>;
	/** see ServiceOptions */
	latency: () => number;
	/** see ServiceOptions */
	secret?: string;
	/** scheme, host and port of the service; known once it listens */
	origin: () => string;
	/** the same for links to PDFs and files */
	filesOrigin: () => string;
};
