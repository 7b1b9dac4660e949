import fc from 'fast-check';
import { Workflow, type INodeTypes } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { normalizeBaseUrl } from '../../nodes/FormService/api/account.ts';
import { FormService } from '../../nodes/FormService/FormService.node.ts';

const { requestDefaults } = new FormService().description;
const nodeTypes = {} as INodeTypes;
const { expression } = new Workflow({ nodes: [], connections: {}, active: false, nodeTypes });

/** The base URL that the node declares for a credential with this address. */
const declareBaseUrl = (baseUrl: unknown): unknown =>
	expression.getParameterValue(requestDefaults?.baseURL, null, 0, 0, '', [], 'trigger', {
		$credentials: { baseUrl },
	} as never);

it('The declared base URL is the one that requests use', () => {
	const end = fc
		.array(fc.constantFrom('/', '//', '/api/v1', '/forms', '/v1'), { maxLength: 5 })
		.map((parts) => parts.join(''));
	const blank = fc.constantFrom('', ' ', '\n');
	const scheme = fc.constantFrom('https://', 'http://', '');
	fc.assert(
		fc.property(blank, scheme, end, blank, (before, begin, path, after) => {
			const entered = `${before}${begin}forms.example.com${path}${after}`;
			expect(declareBaseUrl(entered)).toBe(normalizeBaseUrl(entered));
		}),
	);
});

it.each([undefined, null, 5, {}, ['https://forms.example.com']])(
	'The declared base URL is a text, also if the credential has %j',
	(entered) => expect(declareBaseUrl(entered)).toBeTypeOf('string'),
);
