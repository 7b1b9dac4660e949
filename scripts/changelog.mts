/**
 * Prints what CHANGELOG.md says of a version, as the notes of its release, and fails where it says nothing:
 *
 *   node scripts/changelog.mts 0.1.0
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The text below a version's heading, up to the next version's.
 * @throws Error when there is none
 */
export function changesOf(version: string, log: string): string {
	const [, ...sections] = log.split(/^## /m);
	const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
	const changes = section?.slice(section.indexOf('\n')).trim();
	if (!changes) throw new Error(`CHANGELOG.md does not say what is new in ${version}.`);
	return changes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const log = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
	try {
		console.log(changesOf(process.argv[2] ?? '', log));
	} catch (error) {
		console.error((error as Error).message);
		process.exitCode = 1;
	}
}
