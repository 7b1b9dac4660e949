import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ESLint } from 'eslint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mts';
import {
	descriptions,
	operationsOf,
	parametersOf,
	removeFolder,
	shownFor,
	writeLiterals,
} from './descriptions.mts';

describe('the built nodes and credentials, written out as literals', () => {
	let folder: string;
	beforeAll(() => {
		folder = writeLiterals();
	});
	afterAll(() => removeFolder(folder));

	it('keep all rules of eslint-plugin-n8n-nodes-base', async () => {
		// its rules take every file for a node when they are themselves under test
		process.env.NODE_ENV = 'production';
		const { ESLint: Linter } = (await import('eslint')) as { ESLint: typeof ESLint };
		const config = join(root, 'eslint.nodes-base.config.mjs');
		const results = await new Linter({ cwd: folder, overrideConfigFile: config }).lintFiles(['.']);
		expect(results).toHaveLength(3);
		const problems = results.flatMap(({ filePath, messages }) => {
			const lines = readFileSync(filePath, 'utf8').split('\n');
			return messages.map(({ line, ruleId, message }) => {
				return `${lines[line - 1].trim()} (${ruleId}: ${message})`;
			});
		});
		expect(problems).toEqual([]);
	});
});

it('the nodes say the same of themselves: n8n shows them as one, with the description of either', () => {
	const [text, ...others] = new Set(descriptions.map(({ description }) => description));
	expect(others).toEqual([]);
	// two lines of n8n's list of nodes
	expect(text.length).toBeLessThanOrEqual(72);
});

const operations = descriptions.flatMap((description) =>
	operationsOf(description).map((operation) => ({
		name: `${operation.resource}: ${operation.option.name}`,
		shown: shownFor(description, operation).map(({ name }) => name),
		...operation,
	})),
);

describe.each(operations)('$name', ({ resource, option, shown }) => {
	it('has an action for n8n’s list of actions, in sentence case and without articles', () => {
		expect(option.action).toMatch(/^[A-Z][a-z]+( [a-z]+| PDF)+$/);
		expect(option.action).not.toMatch(/ (an?|the) /);
	});

	it('has a description that says more than its name', () => {
		expect(option.description?.split(' ').length).toBeGreaterThan(2);
	});

	it('has Return All and Limit if it gives many', () => {
		const many = option.value === 'getAll';
		expect(shown.includes('returnAll')).toBe(many);
		expect(shown.includes('limit')).toBe(many);
	});

	it('has Simplify if it gives more than ten fields', () => {
		const file = `nodes/FormService/__schema__/v1.0.0/${resource}/${option.value}.json`;
		expect(existsSync(join(root, file))).toBe(true);
		const { properties } = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
			properties: object;
		};
		if (Object.keys(properties).length > 10) expect(shown).toContain('simplify');
	});
});

describe.each(descriptions)('the parameters of $displayName', (description) => {
	const parameters = parametersOf(description);
	const named = (list: typeof parameters) => list.map(({ displayName }) => displayName);

	it('show an example where text has to be entered, and mark it as one', () => {
		const texts = parameters.filter(({ type }) => type === 'string');
		const required = texts.filter(({ default: value, required }) => required && value === '');
		expect(named(required.filter(({ placeholder }) => !placeholder))).toEqual([]);
		const examples = texts.filter(({ placeholder }) => placeholder);
		expect(named(examples.filter(({ placeholder }) => !placeholder?.startsWith('e.g. ')))).toEqual(
			[],
		);
	});

	it('say what a collection adds', () => {
		const collections = parameters.filter(({ type }) => /^(fixedC|c)ollection$/.test(type));
		expect(
			named(collections.filter(({ placeholder }) => !placeholder?.startsWith('Add '))),
		).toEqual([]);
	});

	it('list what can be chosen in alphabetical order', () => {
		for (const { displayName, type, options = [] } of parameters) {
			if (!['options', 'multiOptions', 'collection'].includes(type)) continue;
			const names = options.map((option) =>
				'displayName' in option ? option.displayName : option.name,
			);
			const sorted = names.toSorted((a, b) => a.localeCompare(b));
			expect(names, displayName).toEqual(sorted);
		}
	});
});
