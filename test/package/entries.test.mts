import { expect, it } from 'vitest';
import { importedByTests, listedEntries } from '../../scripts/lib/testEntries.mts';

const listed = listedEntries();

it.skipIf(listed === undefined)(
	'tests enter through n8n, or through the pure functions that docs/architecture.md lists',
	() => {
		expect(importedByTests()).toEqual(listed);
	},
);
