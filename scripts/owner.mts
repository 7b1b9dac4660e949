/**
 * package.json names the owner of the package once: author, repository, homepage and bugs. Until the owner
 * fills in these fields, they contain the word OWNER, and the package cannot be published.
 *
 *   node scripts/owner.mts           updates the owner's name and the repository's address in all other files
 *   node scripts/owner.mts --check   fails if a field is not filled in, or a file is not updated
 */
import { readFileSync, writeFileSync } from 'node:fs';

type Manifest = {
	author?: { name?: string; email?: string };
	homepage?: string;
	repository?: { url?: string };
	bugs?: { url?: string };
};

/** The files that name the owner or link to the repository, relative to the project's root. */
const filesWithOwner = [
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
const SERVICE_LINK = 'https://form-service.example.com';

const PLACEHOLDER = /\bOWNER\b|@example\.com$/;

const locate = (path: string) => new URL(`../${path}`, import.meta.url);
const read = (path: string) => readFileSync(locate(path), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const { author, homepage, repository, bugs } = manifest;

/** The fields of package.json that the owner still has to fill in. */
const missing = Object.entries({
	'author.name': author?.name,
	'author.email': author?.email,
	homepage,
	'repository.url': repository?.url,
	'bugs.url': bugs?.url,
})
	.filter(([, value]) => !value?.trim() || PLACEHOLDER.test(value))
	.map(([name]) => name);

/**
 * Replaces the owner in a text by that of package.json: the holder of the license, the address for reports,
 * links to the repository, and the addresses of README's pictures, which npm shows only if they are absolute.
 */
function replaceOwner(text: string): string {
	const address = repository?.url?.replace(/^git\+/, '').replace(/\.git$/, '') ?? '';
	const withLinks = text.replaceAll(
		/https:\/\/github\.com\/[^/\s]+\/n8n-nodes-formservice(?![\w-])/g,
		address,
	);
	const withPictures = missing.includes('repository.url')
		? withLinks
		: withLinks.replaceAll('="docs/pictures/', `="${address}/raw/main/docs/pictures/`);
	return withPictures
		.replace(/^(Copyright \(c\) \d+) .*/m, `$1 ${author?.name ?? ''}`)
		.replace(/<mailto:[^>]*>/, `<mailto:${author?.email ?? ''}>`);
}

/** Files that name a different owner or repository than package.json. */
export const filesWithOldOwner = () =>
	filesWithOwner.filter((path) => replaceOwner(read(path)) !== read(path));

if (import.meta.main && process.argv.includes('--check')) {
	const obstacles = [
		...missing.map((field) => `${field} in package.json is not filled in`),
		...filesWithOldOwner().map((path) => `${path} names another owner: run node scripts/owner.mts`),
		...filesWithOwner
			.filter((path) => read(path).includes(SERVICE_LINK))
			.map((path) => `the link to Form Service in ${path} is not filled in`),
	];
	if (obstacles.length > 0) {
		console.error(`The package cannot be published yet:\n  ${obstacles.join('\n  ')}`);
		process.exitCode = 1;
	}
} else if (import.meta.main) {
	for (const path of filesWithOwner) writeFileSync(locate(path), replaceOwner(read(path)));
}
