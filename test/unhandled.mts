import { setImmediate } from 'node:timers/promises';
import { afterAll } from 'vitest';

/**
 * Fails a test file in which a promise was rejected and nobody noticed. Vitest fails the run as well, but
 * leaves such errors out of its JSON report.
 */
const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
process.on('unhandledRejection', note);
afterAll(async () => {
	// Node reports a rejection once the work at hand has ended
	await setImmediate();
	process.off('unhandledRejection', note);
	if (unhandled.length > 0) throw unhandled[0];
});
