/**
 * Prints what CHANGELOG.md says about a version, as the notes of its release:
 *
 *   node scripts/changelog.mts 0.1.0
 */
import { readFileSync } from 'node:fs';

const [, , version] = process.argv;
const log = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
const [, ...sections] = log.split(/^## /m);
const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
const changes = section?.slice(section.indexOf('\n')).trim();
if (changes) {
	console.log(changes);
} else {
	console.error(`CHANGELOG.md does not describe version ${version}.`);
	process.exitCode = 1;
}
