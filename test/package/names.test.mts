import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import lodash from 'lodash';
import { expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mts';

const EXPORT =
	/^export (?:async )?(?:abstract )?(?:function\*?|const|class|type|interface|let) (\w+)/gm;

it('each exported name of the package names one thing', () => {
	const paths = globSync('{nodes,credentials}/**/*.ts', { cwd: root });
	const names = paths.flatMap((path) =>
		[...readFileSync(join(root, path), 'utf8').matchAll(EXPORT)].map(([, name]) => name),
	);
	expect(names.length).toBeGreaterThan(100);
	const repeated = Object.entries(lodash.countBy(names)).filter(([, count]) => count > 1);
	expect(repeated).toEqual([]);
});
