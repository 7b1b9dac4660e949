import { describe, expect, it } from 'vitest';
import { nodeOf, typeOf } from '../n8n/package.mts';
import { operationCases } from '../tables/operations.mts';

/** What people see of a node beside its parameters: its panel and its output pane. */

const { description } = nodeOf(typeOf('formService'));

describe('the panel of Response: Get Many', () => {
	const { properties } = operationCases.find(({ name }) => name === 'Response: Get Many')!;

	it('shows Filters and Sort before a form is chosen, with Sort at the end', () => {
		const names = properties.map(({ name }) => name);
		expect(names.slice(-2)).toEqual(['options', 'sort']);
		const conditional = properties.filter(({ displayOptions }) => displayOptions?.hide?.formId);
		expect(conditional).toEqual([]);
	});
});

describe('the output pane', () => {
	it('says nothing about Limit, which n8n cannot know to have been reached', () => {
		const messages = description.hints?.map(({ message }) => message) ?? [];
		expect(messages.filter((message) => message.includes('Return All'))).toEqual([]);
	});
});

describe('Response: Create', () => {
	const { properties } = operationCases.find(({ name }) => name === 'Response: Create')!;

	it('has one list of ways to give the answers', () => {
		const mode = properties.find(({ name }) => name === 'inputMode');
		expect(mode?.options).toHaveLength(3);
		const mapper = properties.find(({ name }) => name === 'fields');
		expect(mapper?.typeOptions?.resourceMapper?.supportAutoMap).toBe(false);
	});
});
