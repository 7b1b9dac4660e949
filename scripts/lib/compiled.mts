import { globSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as TypeScript from 'typescript';
import { makeOnce } from './cache.mts';
import { localCache, root } from './paths.mts';

/** Compiles the nodes and credentials like the build, with source maps. Returns the folder. */
export async function compiledSources(): Promise<string> {
	const paths = globSync('{nodes,credentials}/**/*.ts', { cwd: root }).sort();
	const texts = ['tsconfig.json', ...paths].map((path) => readFileSync(join(root, path), 'utf8'));
	const from = { parent: join(localCache, 'compiled'), sources: [...paths, ...texts] };
	return await makeOnce(from, async (folder) => {
		// TypeScript takes half a second to load, so it is loaded only if there is something to compile
		const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript;
		const { config } = ts.parseConfigFileTextToJson('tsconfig.json', texts[0]);
		const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
		const compilerOptions = { ...options, sourceMap: true };
		for (const [index, fileName] of paths.entries()) {
			const compiled = ts.transpileModule(texts[index + 1], { fileName, compilerOptions });
			const output = join(folder, fileName.replace(/\.ts$/, '.js'));
			await mkdir(dirname(output), { recursive: true });
			await writeFile(output, compiled.outputText);
			const map = JSON.parse(compiled.sourceMapText!) as object;
			const sources = [join(root, fileName)];
			await writeFile(`${output}.map`, JSON.stringify({ ...map, sources }));
		}
	});
}
