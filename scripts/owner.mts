/**
 * package.json names the owner of the package once: author, repository, homepage and bugs. Until the owner
 * fills in these fields, they contain the word OWNER, and the package cannot be published.
 *
 *   node scripts/owner.mts           updates the owner's name and the repository's address in all other files
 *   node scripts/owner.mts --check   fails if a field is not filled in, or a file is not updated
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

type Manifest = {
	author?: { name?: string; email?: string };
	homepage?: string;
	repository?: { url?: string };
	bugs?: { url?: string };
};

/** The files that name the owner or link to the repository, relative to the project's root. */
export const filesWithOwner = [
	'LICENSE.md',
	'README.md',
	'SECURITY.md',
	'.github/ISSUE_TEMPLATE/config.yml',
	'credentials/FormServiceApi.credentials.ts',
	'nodes/FormService/FormService.node.json',
	'nodes/FormService/FormServiceTrigger.node.json',
	'nodes/FormService/operations/settings/update.ts',
];

/** The placeholder that the owner replaces with the address of Form Service's website. */
export const SERVICE_LINK = 'https://form-service.example.com';

const PLACEHOLDER = /\bOWNER\b|@example\.com$/;

/** The fields of package.json that the owner still has to fill in. */
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

/**
 * The text with the owner from package.json: the holder of the license, the address for reports, links to
 * the repository, and the addresses of the README's pictures, which npm shows only if they are absolute.
 * Fields that are not filled in stay placeholders.
 */
export function withOwner(manifest: Manifest, text: string): string {
	const { author, repository } = manifest;
	const left = leftToFillIn(manifest);
	const address = repository?.url?.replace(/^git\+/, '').replace(/\.git$/, '') ?? '';
	const withLinks = text.replaceAll(
		/https:\/\/github\.com\/[^/\s]+\/n8n-nodes-formservice(?![\w-])/g,
		address,
	);
	const withPictures = left.includes('repository.url')
		? withLinks
		: withLinks.replaceAll('="docs/pictures/', `="${address}/raw/main/docs/pictures/`);
	return withPictures
		.replace(/^(Copyright \(c\) \d+) .*/m, `$1 ${author?.name ?? ''}`)
		.replace(/<mailto:[^>]*>/, `<mailto:${author?.email ?? ''}>`);
}

export const repositoryFile = (path: string) => new URL(`../${path}`, import.meta.url);

const read = (path: string) => readFileSync(repositoryFile(path), 'utf8');

export const readManifest = () => JSON.parse(read('package.json')) as Manifest;

/** Files that name a different owner or repository than package.json. */
export const filesWithOldOwner = () =>
	filesWithOwner.filter((path) => withOwner(readManifest(), read(path)) !== read(path));

/** The reasons why the package cannot be published, one line each. */
function obstacles(): string[] {
	return [
		...leftToFillIn(readManifest()).map((field) => `${field} in package.json is not filled in`),
		...filesWithOldOwner().map((path) => `${path} names another owner: run node scripts/owner.mts`),
		...filesWithOwner
			.filter((path) => read(path).includes(SERVICE_LINK))
			.map((path) => `the link to Form Service in ${path} is not filled in`),
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
		for (const path of filesWithOwner) {
			writeFileSync(repositoryFile(path), withOwner(readManifest(), read(path)));
		}
	}
}
