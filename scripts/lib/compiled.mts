import { createHash } from 'node:crypto';
import {
	existsSync,
	globSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as TypeScript from 'typescript';
import { root } from './paths.mts';

const cache = join(root, 'node_modules', '.cache', 'compiled');

/** Milliseconds after which no process uses a folder any more that was not the newest since. */
const OUT_OF_USE_MS = 3_600_000;

/**
 * The nodes and credentials as the build compiles them, with source maps. The sources' hash is the folder's
 * name, so the folder is never stale, and processes that compile at the same time do not disturb each other.
 *
 * @returns the folder, with the sources' paths in it
 */
export function compiledSources(): string {
	const paths = globSync('{nodes,credentials}/**/*.ts', { cwd: root }).sort();
	const sources = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
	const settings = readFileSync(join(root, 'tsconfig.json'), 'utf8');
	const hash = createHash('sha256')
		.update(JSON.stringify([...sources, settings]))
		.digest('hex');
	const folder = join(cache, hash.slice(0, 16));
	if (existsSync(folder)) {
		utimesSync(folder, new Date(), new Date());
		return folder;
	}
	removeOld();
	const unfinished = `${folder}.${process.pid}`;
	compile(sources, unfinished);
	try {
		renameSync(unfinished, folder);
	} catch (error) {
		// Another process may have compiled the same sources meanwhile.
		if (!existsSync(folder)) throw error;
		rmSync(unfinished, { recursive: true });
	}
	return folder;
}

function compile(sources: Map<string, string>, folder: string): void {
	// TypeScript takes half a second to load, which is spent only if there is something to compile.
	const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript;
	const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) =>
		ts.sys.readFile(path),
	);
	const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
	const compilerOptions = { ...options, sourceMap: true };
	for (const [path, source] of sources) {
		const { outputText, sourceMapText } = ts.transpileModule(source, {
			fileName: path,
			compilerOptions,
		});
		const output = join(folder, path.replace(/\.ts$/, '.js'));
		mkdirSync(dirname(output), { recursive: true });
		writeFileSync(output, outputText);
		const map = JSON.parse(sourceMapText!) as { sources: string[] };
		writeFileSync(`${output}.map`, JSON.stringify({ ...map, sources: [join(root, path)] }));
	}
}

function removeOld(): void {
	if (!existsSync(cache)) return;
	for (const name of readdirSync(cache)) {
		const folder = join(cache, name);
		const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
		if (age > OUT_OF_USE_MS) rmSync(folder, { recursive: true, force: true });
	}
}
