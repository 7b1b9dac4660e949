import { expect, it } from 'vitest';
import { measurePolls } from '../../../scripts/lib/pollCost.mts';

it('A poll of 10,000 responses takes at most six times as long as parsing their JSON', async () => {
	const { parseMs, pollMs } = await measurePolls(10_000, 9);
	expect(pollMs / parseMs).toBeLessThan(6);
});
