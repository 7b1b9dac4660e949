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

/** Compiled once, however often it is loaded. */
function loaderOf(path: string): Load {
	const known = loaders.get(path);
	if (known !== undefined) return known;
	const source = readFileSync(path, 'utf8');
	const script = new Script(`(function (module, exports, require) {${source}\n})`, {
		filename: path,
	});
	const loader = script.runInThisContext() as Load;
	loaders.set(path, loader);
	return loader;
}

/** The node class of the trigger as a process has it that n8n has just started: it remembers nothing. */
export type Process = { trigger: Required<Pick<INodeType, 'description' | 'poll'>> };

/** @param clock what the package is to take for the time; what it leaves out stays the machine's */
export function startProcess(clock: Partial<ProcessClock>): Process {
	const modules = new Map<string, Module>();
	const load = (path: string): Record<string, unknown> => {
		const known = modules.get(path);
		if (known !== undefined) return known.exports;
		const module: Module = { exports: {} };
		modules.set(path, module);
		const require = (name: string): unknown =>
			name.startsWith('.') ? load(`${join(dirname(path), name)}.js`) : outside(name);
		loaderOf(path)(module, module.exports, require);
		return module.exports;
	};
	const { clock: own } = load(join(folder, 'nodes/FormService/api/clock.js'));
	Object.assign(own as ProcessClock, clock);
	const { FormServiceTrigger } = load(
		join(folder, 'nodes/FormService/FormServiceTrigger.node.js'),
	) as { FormServiceTrigger: new () => Process['trigger'] };
	return { trigger: new FormServiceTrigger() };
}
