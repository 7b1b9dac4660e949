import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mts';

/** Phrases of comments that have to be read twice, each with what to write in its place. */
const PHRASES: ReadonlyArray<readonly [phrase: RegExp, instead: string]> = [
	[/\btak(es?|en|ing) note of\b/i, 'record, register, store'],
	[/\bwhat is known\b/i, 'name the state; "is seen"'],
	[/\b(but for|all but)\b/i, 'except'],
	[/\b(nobody|anybody|somebody|whoever)\b/i, 'the actor, or the passive voice'],
	[/\bas far as\b/i, 'if, where'],
	[/\b(by itself|by themselves)\b/i, 'leave it out, or name the actor'],
	[/\bor else\b|[,;:] else\b/i, 'otherwise, or'],
	[/(?<!soon |long )\bas it (is|stands)\b(?! sent)|\bas the service has it\b/i, 'unchanged'],
	[/\bbegin(s|ning)?\b|\bbegan\b/i, 'start'],
	[/\brefus(e|es|ed|al|als)\b/i, 'reject, rate-limit, block'],
	[/\bgoes (on|round|by)\b|\bgo on\b|\bread on\b/i, 'continue'],
	[/\bholds? back\b|\bgives? up\b|\bin vain\b|\bowes?\b/i, 'a verb without a metaphor'],
	[/\bof which\b|\bwhose\b.*\bwhose\b/i, 'two sentences'],
	[/\b(the other|another) ones?\b|\bones\b/i, 'the noun'],
	[/^(\W*)Pure\.|\. Pure\./, 'nothing'],
	[/\bin place of\b/i, 'instead of'],
	[/\bthe (most|fewest) \w+ (of|in|that)\b/i, 'the maximum or minimum number of'],
	[/\blimits? (of a|per) (minute|day)\b/i, 'per-minute or daily limit'],
	[/\b(a|each) text\b(?! (field|parameter))/i, 'string, or "text" without an article'],
	[/\bevents? of (a response|responses)\b/i, 'response event'],
	[/\bfull stop\b/i, 'period'],
	[/\bmay have no\b/i, 'need not have, or "can lack"'],
	[/\bat once\b/i, 'immediately, or together'],
	[/\bso (many|much)\b/i, 'the number, or "this many"'],
	[/\bcolour|behaviour|cancell?ed by hand\b/i, 'American spelling'],
];

/** Names that say nothing about their value. */
const EMPTY_NAMES = 'one other others own again rest left most all given'.split(' ');

const paths = globSync('{nodes,credentials,scripts,test/service}/**/*.{ts,mts}', {
	cwd: root,
}).filter((path) => !path.endsWith('.d.ts'));
const shipped = paths.filter((path) => /^(nodes|credentials)/.test(path));

/** A verb in the third person, such as "Returns", or the start of a predicate's docstring. */
const VERB = /^([A-Z][a-z]+s|Whether)\b/;

const PREDICATE_NAME = /^(is|has|can|may)[A-Z]/;

const read = (path: string) => readFileSync(join(root, path), 'utf8');

const parse = (path: string) => ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);

/** Returns the descendants of a node, and the node. */
const collectNodes = (node: ts.Node): ts.Node[] => [
	node,
	...node.getChildren().flatMap(collectNodes),
];

const getLine = (node: ts.Node) =>
	node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1;

/** Returns the names of the variables and parameters in a file, with their lines. */
function listNames(path: string): Array<{ line: number; name: string }> {
	return collectNodes(parse(path)).flatMap((node) => {
		const isDeclaration =
			ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
		if (!isDeclaration || !ts.isIdentifier(node.name)) return [];
		return { line: getLine(node.name), name: node.name.text };
	});
}

/** Returns the comments of a file, with their lines. */
function listComments(path: string): Array<{ line: number; text: string }> {
	const file = parse(path);
	const source = file.text;
	const ranges = collectNodes(file).flatMap((node) => [
		...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
		...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
	]);
	const byPosition = new Map(ranges.map(({ pos, end }) => [pos, end]));
	return [...byPosition].map(([pos, end]) => ({
		line: file.getLineAndCharacterOfPosition(pos).line + 1,
		text: source
			.slice(pos, end)
			.replace(/^\s*\*/gm, ' ')
			.replace(/\s+/g, ' '),
	}));
}

/** Returns the functions and methods of a file that have a docstring. */
function listDocumented(path: string): Array<{ line: number; name: string; text: string }> {
	return collectNodes(parse(path)).flatMap((node) => {
		const isFunction =
			ts.isFunctionDeclaration(node) ||
			ts.isMethodDeclaration(node) ||
			ts.isMethodSignature(node) ||
			(ts.isVariableDeclaration(node) &&
				node.initializer !== undefined &&
				ts.isArrowFunction(node.initializer));
		if (!isFunction || node.name === undefined) return [];
		const [comment] = ts.getJSDocCommentsAndTags(node);
		const text = comment && ts.getTextOfJSDocComment(comment.comment);
		return text ? [{ line: getLine(node), name: node.name.getText(), text }] : [];
	});
}

describe('A reader of the code', () => {
	it('meets no phrase in comments that has to be read twice', () => {
		expect(shipped.length).toBeGreaterThan(50);
		const found = paths.flatMap((path) =>
			listComments(path).flatMap(({ line, text }) =>
				PHRASES.filter(([phrase]) => phrase.test(text)).map(
					([phrase, instead]) => `${path}:${line} "${phrase.exec(text)![0]}": write ${instead}`,
				),
			),
		);
		expect(found).toEqual([]);
	});

	it('finds in each name of a variable or parameter what its value is', () => {
		const found = paths
			// `rest` is the client of n8n's REST interface in scripts
			.filter((path) => !path.startsWith('scripts'))
			.flatMap((path) =>
				listNames(path)
					.filter(({ name }) => EMPTY_NAMES.includes(name))
					.map(({ line, name }) => `${path}:${line} ${name}`),
			);
		expect(found).toEqual([]);
	});

	it('finds a verb at the start of the docstring of each function', () => {
		const documented = paths.flatMap((path) =>
			listDocumented(path).map((entry) => ({ path, ...entry })),
		);
		expect(documented.length).toBeGreaterThan(150);
		const found = documented.filter(({ name, text }) =>
			PREDICATE_NAME.test(name) ? !text.startsWith('Whether') : !VERB.test(text),
		);
		expect(found).toEqual([]);
	});

	it('finds each module imported once in a file', () => {
		const repeated = paths.flatMap((path) => {
			const modules = [...read(path).matchAll(/^import\b[^;]*?\bfrom '([^']+)'/gm)].map(
				([, name]) => name,
			);
			return modules
				.filter((name, index) => modules.indexOf(name) !== index)
				.map((name) => `${path}: ${name}`);
		});
		expect(repeated).toEqual([]);
	});

	it('finds one thing by each exported name', () => {
		const places = new Map<string, string[]>();
		const declaration =
			/^export (?:async )?(?:abstract )?(?:function\*?|const|class|type|interface|let) (\w+)/gm;
		for (const path of shipped)
			for (const [, name] of read(path).matchAll(declaration))
				places.set(name, [...(places.get(name) ?? []), path]);
		// a table and its type, as `const x` and `type X`, differ by case
		const repeated = [...places].filter(([, found]) => found.length > 1);
		expect(repeated).toEqual([]);
	});
});
