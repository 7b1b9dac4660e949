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

const ROOTS = ['forms.example.com', ' https://forms.example.com/\n', 'http://forms.example.com//'];
const PATHS = ['/api', '/api//', '/api/v1//', '/forms/api/v1/', '/api/v1/api/v1', '/v1'];

it.each([...ROOTS, ...PATHS.map((path) => `https://forms.example.com${path}`)])(
	'The declared base URL for %j is the one that requests use',
	(entered) => expect(declareBaseUrl(entered)).toBe(normalizeBaseUrl(entered)),
);

it('The declared base URL is a text, whatever the credential has', () => {
	for (const entered of [undefined, null, 5, {}])
		expect(declareBaseUrl(entered)).toBeTypeOf('string');
});
