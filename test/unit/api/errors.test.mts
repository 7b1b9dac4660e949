import type { INode } from 'n8n-workflow';
import { expect, it } from 'vitest';
import {
	copyErrorForItem,
	createInputError,
	mayHaveActed,
	ServiceError,
} from '../../../nodes/FormService/api/errors.ts';

const node = { name: 'Form Service', parameters: { limit: 1 } } as unknown as INode;
const other = { name: 'Form Service', parameters: { limit: 2 } } as unknown as INode;

it('the error of a shared request says all that it said, for each item and node', () => {
	const said = {
		message: 'No reply',
		description: 'Check the responses.',
		httpCode: '502',
		failure: { cause: 'temporarily-unavailable' },
		mayHaveActed: true,
	} as const;
	const error = new ServiceError(node, said, 0);
	expect(copyErrorForItem(error, node, 0)).toBe(error);
	for (const [owner, itemIndex] of [
		[node, 1],
		[other, 0],
	] as const) {
		const given = copyErrorForItem(error, owner, itemIndex);
		expect(given).toMatchObject({ ...said, node: owner, context: { itemIndex } });
		expect(mayHaveActed(given)).toBe(true);
	}
	const { message, description } = said;
	const invalid = copyErrorForItem(
		createInputError(node, { message, description, itemIndex: 0 }),
		node,
		1,
	);
	expect(invalid).toMatchObject({ message, description, context: { itemIndex: 1 } });
});
