/**
 * Loads the trigger's node class afresh, as in a process that n8n has just started: all that an earlier
 * process remembered is gone. The model knows nothing else of the package.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import lodash from 'lodash';
import type { INodeType } from 'n8n-workflow';
import type { Clock } from '../../nodes/FormService/api/clock.ts';
import { compiledSources } from '../../scripts/lib/compiled.mts';

type Exports = Record<string, unknown>;
type Load = (exports: Exports, require: (path: string) => unknown) => void;

const folder = compiledSources();
const outside = createRequire(join(folder, 'package.json'));

/** Compiles a module once, however often it is loaded. */
const compile = lodash.memoize((path: string): Load => {
	const source = `(function (exports, require) {${readFileSync(path, 'utf8')}\n})`;
	return new Script(source, { filename: path }).runInThisContext() as Load;
});

export type Process = { trigger: Required<Pick<INodeType, 'poll'>> };

/** @param clock the package's clock */
export function startProcess({ now, sleep, timeout }: Clock): Process {
	const loaded = new Map<string, Exports>();
	const load = (path: string): Exports => {
		const known = loaded.get(path);
		if (known !== undefined) return known;
		const exports: Exports = {};
		loaded.set(path, exports);
		const require = (name: string): unknown =>
			name.startsWith('.') ? load(`${join(dirname(path), name)}.js`) : outside(name);
		compile(path)(exports, require);
		return exports;
	};
	const { clock } = load(join(folder, 'nodes/FormService/api/clock.js'));
	Object.assign(clock as Clock, { now, sleep, timeout });
	const { FormServiceTrigger: Trigger } = load(
		join(folder, 'nodes/FormService/FormServiceTrigger.node.js'),
	);
	return { trigger: new (Trigger as new () => Process['trigger'])() };
}
