import fc from 'fast-check';
import { Workflow } from 'n8n-workflow';
import type { INodeProperties, INodeTypes } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { normalizeBaseUrl } from '../../../nodes/FormService/api/account.ts';
import { endpoints } from '../../../nodes/FormService/api/endpoints.ts';
import { inPathOf, requestDefaults } from '../../../nodes/FormService/operations/routing.ts';

const { expression } = new Workflow({
	nodes: [],
	connections: {},
	active: false,
	nodeTypes: {} as INodeTypes,
});

const resolve = (declared: string, keys: { $value?: unknown; $credentials?: unknown }): unknown =>
	expression.getParameterValue(declared, null, 0, 0, '', [], 'trigger', keys as never);

const { routing } = inPathOf(endpoints.listFields, { name: 'formId' } as INodeProperties);
const pathOf = (id: unknown) => resolve(routing!.request!.url as string, { $value: id });
const baseUrlOf = (baseUrl: unknown) =>
	resolve(requestDefaults.baseURL, { $credentials: { baseUrl } });

const anything = fc.oneof(
	fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
	fc.string({ unit: 'binary' }),
	fc.constant('\ud800'),
);

describe('the declared path', () => {
	it('has the ID in its place, without blanks around it', () => {
		expect(pathOf('aB3xY9')).toBe('/forms/aB3xY9/fields');
		expect(pathOf(' 42\n')).toBe('/forms/42/fields');
		expect(pathOf(42)).toBe('/forms/42/fields');
	});

	it('stays below the form and never throws, whatever the ID is', () => {
		fc.assert(
			fc.property(anything, (id) => {
				expect(pathOf(id)).toMatch(/^\/forms\/[^/?#\\]*\/fields$/);
			}),
		);
	});
});

describe('the declared base URL', () => {
	it('is that of the credential as the checks read it', () => {
		const end = fc
			.array(fc.constantFrom('/', '//', '/api/v1', '/forms', '/v1'), { maxLength: 5 })
			.map((parts) => parts.join(''));
		const blank = fc.constantFrom('', ' ', '\n');
		fc.assert(
			fc.property(blank, end, blank, (before, path, after) => {
				const entered = `${before}https://forms.example.com${path}${after}`;
				expect(baseUrlOf(entered)).toBe(normalizeBaseUrl(entered));
			}),
		);
	});

	it('never throws, whatever the credential holds', () => {
		fc.assert(
			fc.property(anything, (entered) => {
				expect(baseUrlOf(entered)).toBeTypeOf('string');
			}),
		);
	});
});
