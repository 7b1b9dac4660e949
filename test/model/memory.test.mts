import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** What a process of its own measures, where nothing else is in memory. */
async function measured<T>(name: string): Promise<T> {
	const script = join(import.meta.dirname, 'memory.mts');
	const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, name]);
	return JSON.parse(stdout) as T;
}

describe("The trigger's memory", { timeout: 120_000 }, () => {
	it('does not grow in 10,000 polls, however the clock is set', async () => {
		expect(await measured<number>('polls')).toBeLessThan(300);
	});

	it('keeps nothing of tokens that are no longer used', async () => {
		expect(await measured<number>('tokens')).toBeLessThan(500);
	});

	it('keeps of a backlog of 100,000 responses what the next polls need', async () => {
		const { kept, delivered } = await measured<{ kept: number; delivered: number }>('backlog');
		expect(delivered).toBeGreaterThanOrEqual(400);
		expect(kept).toBeLessThan(15_000_000);
	});
});
