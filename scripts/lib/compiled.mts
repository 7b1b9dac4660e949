import { createHash } from 'node:crypto';
import {
	existsSync,
	globSync,
	mkdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as TypeScript from 'typescript';
import { localCache, root } from './paths.mts';

const cache = join(localCache, 'compiled');

/** No process uses a folder any more that is older. */
const OUT_OF_USE_MS = 24 * 3_600_000;

/**
 * Compiles the nodes and credentials as the build does, with source maps. The hash of the sources is the
 * folder's name, so the folder is never stale, and processes that compile at the same time do not disturb
 * each other.
 *
 * @returns the folder, with the sources' paths in it: its real path, as Node names the modules in it, also if
 * node_modules is a link
 */
export function compiledSources(): string {
	const paths = globSync('{nodes,credentials}/**/*.ts', { cwd: root }).sort();
	const sources = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
	const settings = readFileSync(join(root, 'tsconfig.json'), 'utf8');
	const hash = createHash('sha256')
		.update(JSON.stringify([...sources, settings]))
		.digest('hex');
	const folder = join(cache, hash.slice(0, 16));
	if (existsSync(folder)) return realpathSync(folder);
	for (const name of globSync('*', { cwd: cache })) {
		const { mtimeMs } = statSync(join(cache, name), { throwIfNoEntry: false }) ?? {};
		if (mtimeMs !== undefined && Date.now() - mtimeMs > OUT_OF_USE_MS) {
			rmSync(join(cache, name), { recursive: true, force: true });
		}
	}
	const unfinished = `${folder}.${process.pid}`;
	compile(sources, unfinished);
	try {
		renameSync(unfinished, folder);
	} catch (error) {
		// another process may have compiled the same sources meanwhile
		if (!existsSync(folder)) throw error;
		rmSync(unfinished, { recursive: true });
	}
	return realpathSync(folder);
}

function compile(sources: Map<string, string>, folder: string): void {
	// TypeScript takes half a second to load, which is spent only if there is something to compile
	const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript;
	const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) =>
		ts.sys.readFile(path),
	);
	const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
	const compilerOptions = { ...options, sourceMap: true };
	for (const [path, source] of sources) {
		const compiled = ts.transpileModule(source, { fileName: path, compilerOptions });
		const output = join(folder, path.replace(/\.ts$/, '.js'));
		mkdirSync(dirname(output), { recursive: true });
		writeFileSync(output, compiled.outputText);
		const map = JSON.parse(compiled.sourceMapText!) as object;
		writeFileSync(`${output}.map`, JSON.stringify({ ...map, sources: [join(root, path)] }));
	}
}
