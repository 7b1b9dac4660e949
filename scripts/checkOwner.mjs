/** Fails while a placeholder of the owner or the service is left, and names its places: see CONTRIBUTING.md, Release. */
import { spawnSync } from 'node:child_process';

const PLACEHOLDERS = 'OWNER|owner@example[.]com|//form-service[.]example[.]com';
const PUBLISHED = ['package.json', '*.md', ':!CONTRIBUTING.md', '.github', 'credentials', 'nodes'];

const search = ['grep', '--line-number', '--extended-regexp', PLACEHOLDERS, '--', ...PUBLISHED];
const { status, stdout, error } = spawnSync('git', search, { encoding: 'utf8' });
// git grep ends with 1 if nothing matches
if (status !== 1) {
	console.error(`The package cannot be published yet:\n${stdout || error?.message}`);
	process.exit(1);
}
