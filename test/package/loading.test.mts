import { createRequire } from 'node:module';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PackageDirectoryLoader as Loader } from 'n8n-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from '../../scripts/lib/paths.mts';

// before n8n-core is loaded, which writes its settings there
process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'n8n-'));
process.env.N8N_LOG_LEVEL = 'silent';
const { PackageDirectoryLoader } = createRequire(import.meta.url)('n8n-core') as {
	PackageDirectoryLoader: new (folder: string) => Loader;
};

describe('n8n’s loader of community packages', () => {
	let loader: Loader;
	let usesOfIntl: number;
	beforeAll(async () => {
		loader = new PackageDirectoryLoader(root);
		const intl = [
			vi.spyOn(String.prototype, 'localeCompare'),
			vi.spyOn(Number.prototype, 'toLocaleString'),
			vi.spyOn(Date.prototype, 'toLocaleString'),
			vi.spyOn(Intl, 'Collator'),
			vi.spyOn(Intl, 'NumberFormat'),
			vi.spyOn(Intl, 'DateTimeFormat'),
		];
		await loader.loadAll();
		usesOfIntl = intl.reduce((sum, { mock }) => sum + mock.calls.length, 0);
		vi.restoreAllMocks();
	});

	it('does not wait for Intl, whose first use takes ten milliseconds', () => {
		expect(usesOfIntl).toBe(0);
	});

	it('finds both nodes, each with an icon for light and for dark, and the credential', () => {
		expect(Object.keys(loader.nodeTypes).sort()).toEqual(['formService', 'formServiceTrigger']);
		expect(Object.keys(loader.credentialTypes)).toEqual(['formServiceApi']);
		for (const { type } of Object.values(loader.nodeTypes)) {
			const { iconUrl } = 'description' in type ? type.description : {};
			const [light, dark] = [/\.svg$/, /\.dark\.svg$/].map((end) => expect.stringMatching(end));
			expect(iconUrl).toEqual({ light, dark });
		}
	});
});
