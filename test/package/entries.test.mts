import { expect, it } from 'vitest';
import { importedByTests, listedEntries } from '../../scripts/lib/testEntries.mts';

it('tests enter through n8n, or through the modules that docs/architecture.md lists', () => {
	expect(importedByTests()).toEqual(listedEntries());
});
