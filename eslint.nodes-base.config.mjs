import { config as strict } from '@n8n/node-cli/eslint';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import regexp from 'eslint-plugin-regexp';

/*
 * All rules of eslint-plugin-n8n-nodes-base 2. n8n's strict configuration brings version 1 of the plugin
 * and may not be changed, so this one runs beside it, as part of `npm run lint`. So does
 * eslint-plugin-regexp: respondents choose the texts that patterns read, so no pattern may take more than
 * linear time.
 */

const { parser } = strict.find(({ languageOptions }) => languageOptions?.parser).languageOptions;
const { community, credentials, nodes } = nodesBase.configs;

/** Rules that contradict n8n's strict configuration, which is the newer. */
const outdated = {
	// asks for a camel-cased name, for nodes in n8n's own repository
	'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
	// ask for the literal 'main', where node-connection-type-literal asks for NodeConnectionTypes.Main
	'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
	'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
};

export default [
	{
		files: ['package.json', 'credentials/**/*.ts', 'nodes/**/*.ts'],
		plugins: { 'n8n-nodes-base': nodesBase },
		languageOptions: { parser, parserOptions: { extraFileExtensions: ['.json'] } },
	},
	{ files: ['package.json'], rules: community.rules },
	{ files: ['credentials/**/*.ts'], rules: { ...credentials.rules, ...outdated } },
	{ files: ['nodes/**/*.ts'], rules: { ...nodes.rules, ...outdated } },
	{
		files: ['credentials/**/*.ts', 'nodes/**/*.ts'],
		plugins: { regexp },
		rules: {
			'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
			'regexp/no-super-linear-move': ['error', { report: 'potential' }],
		},
	},
];
