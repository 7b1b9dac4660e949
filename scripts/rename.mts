/**
 * Names the service in all files and file names:
 *
 *   npm run rename -- "Acme Forms" https://acme.example
 *
 * Saved workflows contain the name of the package and its nodes, so run this script before the first release.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from './lib/command.mts';
import { root } from './lib/paths.mts';

// this script renames itself, too
const CURRENT_NAME = 'Form Service';
const CURRENT_ADDRESS = 'https://form-service.example.com';

function spell(name: string): string[] {
	const words = name.split(' ').map((word) => word[0].toUpperCase() + word.slice(1));
	const joined = words.join('');
	return [
		name,
		joined,
		joined[0].toLowerCase() + joined.slice(1),
		words.join('_').toUpperCase(),
		joined.toLowerCase(),
		words.join('-').toLowerCase(),
		words.join('-'),
	];
}

const [name = '', address = ''] = process.argv.slice(2);
if (!/^[A-Za-z][A-Za-z0-9]*( [A-Za-z0-9]+)*$/.test(name) || !URL.canParse(address)) {
	console.error('npm run rename -- "<name of the service>" <its address, such as https://…>');
	process.exit(1);
}

const spellings = spell(name);
const pairs = spell(CURRENT_NAME).map((from, index) => [from, spellings[index]]);
const replaceNames = (text: string) =>
	pairs.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);

for (const path of (await run('git', ['ls-files'])).trim().split('\n')) {
	const [from, to] = [path, replaceNames(path)].map((relative) => join(root, relative));
	if (!path.endsWith('.png')) {
		const text = await readFile(from, 'utf8');
		await writeFile(from, replaceNames(text.replaceAll(CURRENT_ADDRESS, address)));
	}
	if (from === to) continue;
	await mkdir(dirname(to), { recursive: true });
	await rename(from, to);
}
console.log(`The service is called ${name}. Replace the icons and pictures, and read the changes:
"a" can have to become "an". Then run npm run format, npm run generate and npm test.`);
