/**
 * Who owns the package is said once, in package.json: author, repository, homepage and bugs. Until the
 * owner has filled them in they hold the word OWNER, and the package cannot be published.
 *
 *   node scripts/owner.mts           writes the repository's address where links have to name it
 *   node scripts/owner.mts --check   fails while something is left to fill in
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

type Manifest = {
	author?: { name?: string; email?: string };
	homepage?: string;
	repository?: { url?: string };
	bugs?: { url?: string };
};

/** The files with links to the repository that n8n shows, relative to it. */
export const filesWithLinks = [
	'credentials/FormServiceApi.credentials.ts',
	'nodes/FormService/FormService.node.json',
	'nodes/FormService/FormServiceTrigger.node.json',
];

const PLACEHOLDER = /\bOWNER\b|@example\.com$/;

/** The fields of package.json that the owner has still to fill in. */
export function leftToFillIn({ author, homepage, repository, bugs }: Manifest): string[] {
	const fields = {
		'author.name': author?.name,
		'author.email': author?.email,
		homepage,
		'repository.url': repository?.url,
		'bugs.url': bugs?.url,
	};
	return Object.entries(fields)
		.filter(([, value]) => !value?.trim() || PLACEHOLDER.test(value))
		.map(([name]) => name);
}

/** A text with all links to the repository set to where package.json says that it is. */
export function withLinksTo({ repository }: Manifest, text: string): string {
	const address = repository?.url?.replace(/^git\+/, '').replace(/\.git$/, '') ?? '';
	return text.replaceAll(
		/https:\/\/github\.com\/[^/\s]+\/n8n-nodes-formservice(?![\w-])/g,
		address,
	);
}

export const repositoryFile = (path: string) => new URL(`../${path}`, import.meta.url);

const read = (path: string) => readFileSync(repositoryFile(path), 'utf8');

export const readManifest = () => JSON.parse(read('package.json')) as Manifest;

/** Files whose links do not lead to where package.json says that the repository is. */
export const filesWithOldLinks = () =>
	filesWithLinks.filter((path) => withLinksTo(readManifest(), read(path)) !== read(path));

/** What keeps the package from being published, one line each. */
function obstacles(): string[] {
	return [
		...leftToFillIn(readManifest()).map((field) => `${field} in package.json is not filled in`),
		...filesWithOldLinks().map((path) => `${path} has old links: run node scripts/owner.mts`),
	];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	if (process.argv.includes('--check')) {
		const found = obstacles();
		if (found.length > 0) {
			console.error(`The package cannot be published yet:\n  ${found.join('\n  ')}`);
			process.exitCode = 1;
		}
	} else {
		for (const path of filesWithLinks) {
			writeFileSync(repositoryFile(path), withLinksTo(readManifest(), read(path)));
		}
	}
}
