import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mts';

/** Runs .ci/run with an npm that only ends as it is told to, part by part. */
function runWith(parts: { test: string; demo: string; n8n: string }): {
	status: number | null;
	last?: string;
} {
	const bin = mkdtempSync(join(tmpdir(), 'npm-'));
	const npm = `#!/usr/bin/env bash
case "$*" in
	test) ${parts.test} ;;
	"run demo -- --check") ${parts.demo} ;;
	"run test:n8n") ${parts.n8n} ;;
esac
`;
	writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 });
	const { status, stdout } = spawnSync(join(root, '.ci/run'), {
		env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
		encoding: 'utf8',
	});
	rmSync(bin, { recursive: true });
	return { status, last: stdout.trimEnd().split('\n').at(-1) };
}

const green = { test: 'echo "5 passed, 0 failed"', demo: 'true', n8n: 'echo "2 passed, 0 failed"' };

describe('.ci/run', () => {
	it('ends well, with the sum as its last line, when all parts pass', () => {
		expect(runWith(green)).toEqual({ status: 0, last: '8 passed, 0 failed' });
	});

	it.each([
		['a test fails', { test: 'echo "4 passed, 1 failed"; exit 1' }, '7 passed, 1 failed'],
		['the demo fails', { demo: 'exit 1' }, '7 passed, 1 failed'],
		['a part ends without its sum', { n8n: 'exit 1' }, '6 passed, 1 failed'],
		[
			'a part ends badly although its tests pass',
			{ n8n: `${green.n8n}; exit 1` },
			'8 passed, 1 failed',
		],
	])('ends with an error when %s', (_, parts, last) => {
		expect(runWith({ ...green, ...parts })).toEqual({ status: 1, last });
	});
});
