import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mts';

const folder = mkdtempSync(join(tmpdir(), 'cache-'));
afterAll(() => rmSync(folder, { recursive: true }));

const cache = join(folder, 'n8n-nodes-formservice');
const platform = `${process.platform}-${process.arch}`;

/** Installs the scanner into an empty cache with an npm that does nothing, beside what is there. */
function install(): string[] {
	writeFileSync(join(folder, 'npm'), '#!/bin/sh\n', { mode: 0o755 });
	const script = `import { cached } from '${root}/scripts/lib/cache.mts'; await cached({ source: 'scanner', title: 'it' });`;
	const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
		env: {
			...process.env,
			XDG_CACHE_HOME: folder,
			PATH: `${folder}${delimiter}${process.env.PATH}`,
		},
		encoding: 'utf8',
	});
	expect(stderr).toBe('');
	expect(status).toBe(0);
	return readdirSync(cache).sort();
}

describe('the cache of installed packages', () => {
	it('loses what an older lockfile led to with a new install, but not what a process uses', () => {
		for (const name of ['old', 'used'])
			mkdirSync(join(cache, `scanner-${platform}-${name}`), { recursive: true });
		mkdirSync(join(cache, `n8n-2.x-${platform}-other`));
		mkdirSync(join(cache, 'in-use'));
		writeFileSync(join(cache, 'in-use', `scanner-${platform}-used.${process.pid}`), '');
		writeFileSync(join(cache, 'in-use', `scanner-${platform}-old.999999999`), '');
		expect(install()).toEqual([
			'in-use',
			`n8n-2.x-${platform}-other`,
			expect.stringMatching(/^scanner-.*-[0-9a-f]{16}$/),
			`scanner-${platform}-used`,
		]);
	});
});
