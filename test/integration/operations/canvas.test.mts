import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { nodeOf, typeOf } from '../n8n/package.mts';
import { operationCases } from '../tables/operations.mts';
import { running } from '../world.mts';

/** What people see of a node beside its parameters: its panel, its output pane, the names of its files. */

const { service, n8n } = await running();
const { description } = nodeOf(typeOf('formService'));
const { contact } = demoForms;

const chosen = (value: string, cachedResultName: string) =>
	({ ...locator(value, 'list'), cachedResultName }) as INodeParameters;

describe('the file of Response: Get PDF', () => {
	const [{ uuid }] = service.store.responses(contact);
	const nameOf = async (parameters: INodeParameters) => {
		const getPdf = { resource: 'response', operation: 'getPdf', download: true };
		const { items } = await n8n.runNode({ ...getPdf, ...parameters });
		return items[0].binary!.data.fileName;
	};

	it("has the form's name and the response's number, if both were chosen from the lists", async () => {
		const formId = chosen(contact, 'Contact / Sales');
		const responseId = chosen(uuid, '12 · 2026-11-22 00:43');
		expect(await nameOf({ formId, responseId })).toBe('Contact _ Sales-12.pdf');
	});

	it('has the UUID, if the response was given by an expression', async () => {
		const responseId = locator(`={{ "${uuid}" }}`);
		expect(await nameOf({ formId: chosen(contact, 'Contact'), responseId })).toBe(
			`Contact-${uuid}.pdf`,
		);
		expect(await nameOf({ responseId })).toBe(`response-${uuid}.pdf`);
	});
});

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
