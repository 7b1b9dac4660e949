import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cached } from '../../scripts/lib/cache.mts';
import { root } from '../../scripts/lib/paths.mts';
import { type Packed, packAndUnpack } from './packed.mts';

type Scanner = {
	analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
	SOURCE_FILE_PATTERNS: string[];
};

const INSTALL_TIMEOUT_MS = 300_000;

/** The scan that n8n makes of a package before it is verified, which heeds no disabled rules. */
describe('n8n’s scan of community packages', () => {
	let scanner: Scanner;
	let packed: Packed;
	beforeAll(async () => {
		// its rules take every file for a node when they are themselves under test
		process.env.NODE_ENV = 'production';
		const folder = await cached({
			source: 'scanner',
			title: 'n8n’s scanner of packages (once, needs the network)',
		});
		const path = 'node_modules/@n8n/scan-community-package/scanner/scanner.mjs';
		scanner = (await import(join(folder, path))) as Scanner;
		packed = await packAndUnpack();
	}, INSTALL_TIMEOUT_MS);
	afterAll(async () => await packed.remove());

	it('passes the source', async () => {
		const result = await scanner.analyzePackage(root, scanner.SOURCE_FILE_PATTERNS);
		expect(result.passed, result.details ?? result.message).toBe(true);
	});

	it('passes what is published', async () => {
		const result = await scanner.analyzePackage(packed.folder, ['**/*.js', 'package.json']);
		expect(result.passed, result.details ?? result.message).toBe(true);
	});
});
