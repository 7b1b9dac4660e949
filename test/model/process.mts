/**
 * Loads the trigger's node class afresh, as a process has it that n8n has just started: all that an earlier
 * process remembered is gone. Nothing else of the package is known to the model.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import type { INodeType } from 'n8n-workflow';
import { compiledSources } from '../../scripts/lib/compiled.mts';
import type { ProcessClock } from './time.mts';

type Module = { exports: Record<string, unknown> };
type Load = (module: Module, exports: unknown, require: (path: string) => unknown) => void;

const folder = compiledSources();
const outside = createRequire(join(folder, 'package.json'));
const loaders = new Map<string, Load>();

/** Compiles a module once, however often it is loaded. */
function compile(path: string): Load {
	const known = loaders.get(path);
	if (known !== undefined) return known;
	const source = `(function (module, exports, require) {${readFileSync(path, 'utf8')}\n})`;
	const loader = new Script(source, { filename: path }).runInThisContext() as Load;
	loaders.set(path, loader);
	return loader;
}

export type Process = { trigger: Required<Pick<INodeType, 'description' | 'poll'>> };

/** @param time what the package takes for the time */
export function startProcess(time: ProcessClock): Process {
	const modules = new Map<string, Module>();
	const load = (path: string): Record<string, unknown> => {
		const known = modules.get(path);
		if (known !== undefined) return known.exports;
		const module: Module = { exports: {} };
		modules.set(path, module);
		const require = (name: string): unknown =>
			name.startsWith('.') ? load(`${join(dirname(path), name)}.js`) : outside(name);
		compile(path)(module, module.exports, require);
		return module.exports;
	};
	const { clock } = load(join(folder, 'nodes/FormService/api/clock.js'));
	const { now, sleep, timeout } = time;
	Object.assign(clock as ProcessClock, { now, sleep, timeout });
	const { FormServiceTrigger } = load(
		join(folder, 'nodes/FormService/FormServiceTrigger.node.js'),
	) as { FormServiceTrigger: new () => Process['trigger'] };
	return { trigger: new FormServiceTrigger() };
}
