import fc from 'fast-check';
import { Workflow } from 'n8n-workflow';
import type { INodeTypes } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { normalizeBaseUrl } from '../../../nodes/FormService/api/account.ts';
import { requestDefaults } from '../../../nodes/FormService/operations/index.ts';

const { expression } = new Workflow({
	nodes: [],
	connections: {},
	active: false,
	nodeTypes: {} as INodeTypes,
});

const baseUrlOf = (baseUrl: unknown): unknown =>
	expression.getParameterValue(requestDefaults.baseURL, null, 0, 0, '', [], 'trigger', {
		$credentials: { baseUrl },
	} as never);

const anything = fc.oneof(
	fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
	fc.string({ unit: 'binary' }),
	fc.constant('\ud800'),
);

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
