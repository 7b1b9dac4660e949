import type { INodeProperties } from 'n8n-workflow';
import type { ResponsesOptions } from '../../api/service';
import type { Input } from '../../routing/operation';
import { readChoice } from '../common/input';

/** Which responses a listing has (specification, section 4, rule 1). */
export const statusChoice: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	default: 'all',
	description:
		'Which responses to return. Incomplete ones exist only for a form with "Track incomplete submissions" on.',
	options: [
		{ name: 'All', value: 'all' },
		{ name: 'Complete', value: 'complete' },
		{ name: 'Incomplete', value: 'incomplete' },
	],
};

export function readStatus(input: Input): ResponsesOptions['status'] {
	return readChoice(input, 'status', 'Status', ['all', 'complete', 'incomplete']);
}
