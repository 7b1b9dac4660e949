import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeRegExp } from 'lodash';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { exampleFiles, readExample } from '../../scripts/lib/n8n/examples.mts';
import { root } from '../../scripts/lib/paths.mts';
import { descriptions, operationsOf, parametersOf, parameterNames } from './descriptions.mts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const oneOf = (texts: Iterable<string>) =>
	[...texts]
		.sort((one, other) => other.length - one.length)
		.map(escapeRegExp)
		.join('|');

const resources = descriptions.flatMap(
	({ properties }) => properties.find(({ name }) => name === 'resource')?.options ?? [],
);
const operations = descriptions.flatMap(operationsOf).map(({ option }) => option.name);

/** Names that are not a parameter's: of the service, and of operations, such as "Form: Get Many". */
const OTHER_NAMES = new RegExp(
	`Form Service|(${oneOf(resources.map(({ name }) => name))}): (${oneOf(operations)})`,
	'g',
);
const settings = descriptions
	.flatMap(parametersOf)
	.filter(({ name }) => name === 'settings')
	.flatMap(({ options = [] }) =>
		options.map((option) => 'displayName' in option && option.displayName),
	);

/** Without those of the settings, which are words and products as well: Closed, Slack. */
const names = oneOf([...parameterNames].filter((name) => !settings.includes(name)));
const NAME = new RegExp(`(?<![\\w"])(${names})(?![\\w"])`, 'g');
const STARTS_SENTENCE = /(^|[.!?:] )$/;

/** The names of parameters that a text mentions without the marks that tell them from words of its own. */
function bareNames(text: string, marked: RegExp): string[] {
	const rest = text.replace(marked, '').replace(OTHER_NAMES, '');
	return [...rest.matchAll(NAME)]
		.filter(
			({ 0: name, index }) => name.includes(' ') || !STARTS_SENTENCE.test(rest.slice(0, index)),
		)
		.map(([name]) => name);
}

const sources = globSync(['nodes/**/*.ts', 'credentials/*.ts'], { cwd: root }).map((path) =>
	ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest),
);

/** All that stands in a source file, but for what it imports. */
function* nodesIn(node: ts.Node): Generator<ts.Node> {
	if (ts.isImportDeclaration(node)) return;
	yield node;
	const inner: ts.Node[] = [];
	ts.forEachChild(node, (child) => void inner.push(child));
	for (const child of inner) yield* nodesIn(child);
}

/** The texts in the sources; what a template fills in stands as "…". */
const texts = sources
	.flatMap((source) => [...nodesIn(source)])
	.flatMap((node) => {
		if (ts.isStringLiteralLike(node)) return [node.text];
		if (!ts.isTemplateExpression(node)) return [];
		return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')];
	});

/** The names that readers of parameters are given, by which their errors speak of them. */
const namesGiven = sources
	.flatMap((source) => [...nodesIn(source)])
	.filter(ts.isCallExpression)
	.filter(
		({ expression }) => ts.isIdentifier(expression) && /^(read|to)[A-Z]/.test(expression.text),
	)
	.flatMap((call) => call.arguments.filter(ts.isStringLiteral).map(({ text }) => text))
	.filter((text) => /^[A-Z][^.]*$/.test(text));

const optionNames = descriptions
	.flatMap(parametersOf)
	.flatMap(({ options = [] }) => options.map(({ name }) => name));

const modeNames = descriptions
	.flatMap(parametersOf)
	.flatMap(({ modes = [] }) => modes.map(({ displayName }) => displayName));

/** Of n8n's request options. */
const NAMES_OF_N8N = ['Fetch Test Event', 'Poll Times', 'Timeout'];

/** Whether a text is a name of its own, such as "Skip If Exists", and no sentence. */
const isName = (text: string) =>
	parameterNames.has(text) || text.split(' ').every((word) => /^[A-Z]/.test(word));

const examples = await exampleFiles();

describe('names of parameters', () => {
	it('stand in single quotes in texts of the nodes', () => {
		const quoted = new RegExp(`'(${names})'`, 'g');
		const sentences = texts.filter((text) => !isName(text));
		expect(sentences.filter((text) => bareNames(text, quoted).length > 0)).toEqual([]);
	});

	it('are those that the editor shows', () => {
		const known = [...parameterNames, ...optionNames, ...modeNames, ...NAMES_OF_N8N];
		const quoted = texts.flatMap((text) => [...text.matchAll(/(?<!\w)'([A-Z][\w ():-]*)'/g)]);
		const named = [...quoted.map(([, name]) => name), ...namesGiven];
		expect(named.length).toBeGreaterThan(30);
		expect(named.filter((name) => !known.includes(name))).toEqual([]);
	});

	/** Names of several words; a single word can be one of the page's own. */
	const inBold = /\*\*[^*]+\*\*|`[^`]*`|^#.*$/gm;
	const bareInPage = (text: string) => bareNames(text, inBold).filter((name) => name.includes(' '));

	it.each(['README.md', 'docs/responses.md', 'docs/trigger.md'])('stand in bold in %s', (page) => {
		expect(bareInPage(read(page))).toEqual([]);
	});

	it.each(examples)('stand in bold in the note of %s', async (file) => {
		const { nodes } = await readExample(file);
		const [note] = nodes.filter(({ type }) => type.endsWith('stickyNote'));
		expect(bareInPage(String(note.parameters.content))).toEqual([]);
	});
});
