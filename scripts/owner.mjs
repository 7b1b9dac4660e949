/**
 * Fills in who owns the package, and what only the owner knows of Form Service, wherever the project names it:
 *
 *   npm run owner -- <answer> ...   fills in the answers, in the order of the table below
 *   npm run owner -- --check        names each place that is left, and fails if the package cannot be published
 *
 * In a terminal, the script asks for each answer that the command leaves out. An empty answer changes nothing.
 * Plain JavaScript, for the machine's own Node 20 or newer.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');

/** The places that link to the repository, under any name that it has or had. */
function findLinks() {
	const names = ['package.json', 'credentials/FormServiceApi.credentials.ts'].map(
		(path) => /github\.com\/([\w-]+\/[\w.-]+?)(?=\.git\b|[#/"])/.exec(read(path))?.[1] ?? 'OWNER',
	);
	const any = ['OWNER/n8n-nodes-formservice', ...names].join('|').replaceAll('.', '\\.');
	const link = new RegExp(`(?<=https://github\\.com/)(?:${any})(?=\\.git\\b|[#/)'"\\s])`, 'g');
	const files = ['.github', 'credentials', 'docs', 'nodes'].flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true }).map((path) => `${folder}/${path}`),
	);
	const linking = files.filter(
		(path) => /\.(json|md|ts|yml)$/.test(path) && read(path).search(link) >= 0,
	);
	return Object.fromEntries(['package.json', 'README.md', ...linking].map((path) => [path, link]));
}

const ADDRESS = /^https?:\/\/[^\s()<>"]+$/;

/** The answers: a valid one, one that is open, and the places by path. The first place is right. */
const facts = [
	{
		title: 'repository on GitHub, as owner/name',
		valid: /^[\w-]+\/(?!.*\.git$)[\w.-]+$/,
		open: /^OWNER\//,
		get places() {
			return findLinks();
		},
	},
	{
		title: 'name of the author',
		valid: /^[^"\\<>\n]+$/,
		open: /^OWNER$/,
		places: {
			'package.json': /(?<="author": \{\s+"name": ")[^"]*/g,
			'LICENSE.md': /(?<=^Copyright \(c\) \d+ ).*/gm,
		},
	},
	{
		title: 'email address for reports',
		valid: /^[^\s@"\\<>]+@[^\s@"\\<>]+\.[^\s@"\\<>]+$/,
		open: /@example\.com$/,
		places: { 'package.json': /(?<="email": ")[^"]*/g, 'SECURITY.md': /(?<=<mailto:)[^>]*/g },
	},
	{
		title: 'address of Form Service',
		valid: ADDRESS,
		open: /\.example\.com/,
		places: { 'README.md': /(?<=\[Form Service\]\()[^)]*/g },
	},
	{
		title: 'menu where tokens are created',
		valid: /^[^<>\n]+$/,
		open: /not known yet/,
		places: { 'README.md': /(?<=<!-- token -->).*(?=<!-- \/token -->)/g },
		optional: true,
	},
	{
		title: 'address of the API’s documentation',
		valid: ADDRESS,
		open: /not known yet/,
		places: { 'README.md': /(?<=<!-- api -->).*(?=<!-- \/api -->)/g },
		optional: true,
	},
];

/** The values that the places of a fact have now, each with its path. */
const listValues = ({ places }) =>
	Object.entries(places).flatMap(([path, place]) =>
		(read(path).match(place) ?? ['']).map((value) => ({ path, value })),
	);

/** A sentence for each place of a fact that is missing, open, or not like the first place. */
function listGaps(fact) {
	const values = listValues(fact);
	const gaps = values.map(({ path, value }) => {
		if (value === '') return `${path}: there is no place for the ${fact.title}`;
		if (fact.open.test(value)) return `${path}: the ${fact.title} is open`;
		if (value === values[0].value) return '';
		return `${path}: ${value} is not the ${fact.title} of ${values[0].path}`;
	});
	return [...new Set(gaps)].filter(Boolean);
}

/** Prints what is left, and returns whether the package can be published. */
function reportGaps() {
	const [optional, needed] = [true, false].map((isOptional) =>
		facts.filter((fact) => Boolean(fact.optional) === isOptional).flatMap(listGaps),
	);
	const print = (...lines) => lines.length > 1 && console.error(lines.join('\n  '));
	print('The package cannot be published yet:', ...needed);
	print('Open, but not needed to publish:', ...optional);
	return needed.length === 0;
}

/** The answers of the command and, in a terminal, of a person. */
async function askOwner() {
	const answers = process.argv.slice(2);
	if (!process.stdin.isTTY) return answers;
	const terminal = createInterface({ input: process.stdin, output: process.stdout });
	for (const fact of facts.slice(answers.length)) {
		answers.push(await terminal.question(`The ${fact.title} (${listValues(fact)[0].value}): `));
	}
	terminal.close();
	return answers;
}

/** Changes the text of a file. */
function update(path, change) {
	const text = read(path);
	if (change(text) !== text) writeFileSync(join(root, path), change(text));
}

if (process.argv[2] === '--check') {
	process.exitCode = reportGaps() ? 0 : 1;
} else {
	const answers = await askOwner();
	const invalid = facts.find(({ valid }, index) => answers[index] && !valid.test(answers[index]));
	if (invalid || answers.length === 0 || answers.length > facts.length) {
		const reason = invalid ? `"${answers[facts.indexOf(invalid)]}" is no ${invalid.title}. ` : '';
		const usage = facts.map(({ title }) => `"<${title}>"`).join(' ');
		console.error(`${reason}Nothing was changed. Enter: npm run owner -- ${usage}`);
		process.exit(1);
	}
	for (const [index, answer] of answers.entries()) {
		for (const [path, place] of answer ? Object.entries(facts[index].places) : []) {
			update(path, (text) => text.replace(place, () => answer));
		}
	}
	if (answers[0]) {
		// npm shows only pictures with a whole address
		const folder = `="https://github.com/${answers[0]}/raw/main/docs/pictures/`;
		update('README.md', (text) => text.replaceAll('="docs/pictures/', folder));
	}
	console.log('The answers are filled in.');
	reportGaps();
}
