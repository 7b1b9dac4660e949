import type { INodeProperties } from 'n8n-workflow';
import type { Input } from '../../routing/operation';
import { readChoice } from './input';

/** A parameter that says how the values of an operation are given: one by one, or all as JSON. */
export function inputModeChoice(
	displayName: string,
	descriptions: { ofFields: string; ofJson: string },
): INodeProperties {
	return {
		displayName,
		name: 'inputMode',
		type: 'options',
		default: 'fields',
		options: [
			{ name: 'Using Fields Below', value: 'fields', description: descriptions.ofFields },
			{ name: 'Using JSON', value: 'json', description: descriptions.ofJson },
		],
	};
}

export function readInputMode(input: Input, displayName: string): 'fields' | 'json' {
	return readChoice(input, 'inputMode', displayName, ['fields', 'json']);
}
