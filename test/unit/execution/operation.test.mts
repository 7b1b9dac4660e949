import { expect, it } from 'vitest';
import { createAccount } from '../../../nodes/FormService/api/account.ts';
import { createTarget, endpoints } from '../../../nodes/FormService/api/endpoints.ts';
import type { RequestContext } from '../../../nodes/FormService/api/requestContext.ts';
import {
	createSharedFetch,
	SharedValues,
	type ItemRequest,
} from '../../../nodes/FormService/execution/operation.ts';

const account = createAccount({ accessToken: 'token', baseUrl: 'https://forms.example.com' });
const target = createTarget(account, endpoints.listForms);
const run = {};

function senderOf(itemIndex: number, accessToken = 'token'): ItemRequest {
	const itemAccount = createAccount({ accessToken, baseUrl: account.baseUrl });
	const context = { account: itemAccount, itemIndex, priority: 'low' } as RequestContext;
	return { context, target, run };
}

it('a request for all items of a run is sent once, belongs to no item, and is repeated after a failure', async () => {
	const contexts: RequestContext[] = [];
	const fetchOnce = createSharedFetch(async (context: RequestContext) => {
		contexts.push(context);
		if (contexts.length === 1) throw new Error('unavailable');
		return await Promise.resolve(contexts.length);
	});
	const fetchFor = async (index: number) => await fetchOnce(senderOf(index));
	const failed = await Promise.allSettled([fetchFor(1), fetchFor(2)]);
	expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
	expect(await Promise.all([fetchFor(1), fetchFor(2)])).toEqual([2, 2]);
	expect(contexts.map(({ itemIndex }) => itemIndex)).toEqual([undefined, undefined]);
});

it('items share a value only if they have the same account', () => {
	const lists = new SharedValues<string[]>();
	const values = ['a', 'a', 'b'].map((token) =>
		lists.getOrCreate(senderOf(0, token), 'list', () => []),
	);
	expect(values[0]).toBe(values[1]);
	expect(values[0]).not.toBe(values[2]);
});

it('two kinds of values never share a value, even under the same key', () => {
	const [lists, names] = [new SharedValues<string[]>(), new SharedValues<string>()];
	expect(lists.getOrCreate(senderOf(0), 'key', () => [])).toEqual([]);
	expect(names.getOrCreate(senderOf(0), 'key', () => 'name')).toBe('name');
});
