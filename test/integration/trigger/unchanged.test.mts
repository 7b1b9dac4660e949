import type { RequestListener } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { beforeEach, expect, it, vi } from 'vitest';
import { time } from '../n8n/package.mts';
import { n8nOf, tick, watch } from './watching.mts';

/** What the service lists, whether it has ETags, and what it was asked for. */
let responses: IDataObject[];
let hasEtags: boolean;
let conditions: Array<string | undefined>;

const answer: RequestListener = ({ url, headers }, reply) => {
	const isListing = url?.includes('/responses/');
	const body = JSON.stringify({ success: true, data: isListing ? responses : [] });
	const etag = `"${body.length}-${responses.length}"`;
	if (isListing) conditions.push(headers['if-none-match']);
	const isKnown = hasEtags && headers['if-none-match'] === etag;
	reply.writeHead(isKnown ? 304 : 200, {
		'content-type': 'application/json',
		...(hasEtags && { etag }),
	});
	reply.end(isKnown ? undefined : body);
};

let trigger: ReturnType<typeof watch>;

beforeEach(async () => {
	[responses, hasEtags, conditions] = [[{ uuid: 'first' }], false, []];
	trigger = watch(await n8nOf(answer), 'form', {
		abandonedAfterHours: 1,
		events: ['responseAbandoned', 'responseCompleted'],
	});
});

const poll = async () => (await trigger.poll(tick)).map(({ json }) => json.uuid);

/** How often a reply of the service is parsed while this is done. */
async function parsed(work: () => Promise<unknown>): Promise<number> {
	const parse = vi.spyOn(JSON, 'parse');
	await work();
	const count = parse.mock.calls.filter(([text]) => text.startsWith('{"success"')).length;
	parse.mockRestore();
	return count;
}

it('A listing with the same bytes is not parsed', async () => {
	await trigger.poll();
	expect(await parsed(poll)).toBe(0);
	responses.push({ uuid: 'second' });
	expect(await poll()).toEqual(['second']);
	expect(await parsed(poll)).toBe(0);
	expect(conditions).toEqual([undefined, undefined, undefined, undefined]);
});

it('A listing that differs at each reply is parsed each time', async () => {
	await trigger.poll();
	responses[0].signature = 1;
	expect(await parsed(poll)).toBe(1);
	responses[0].signature = 2;
	expect(await parsed(poll)).toBe(1);
});

it('A service with ETags sends nothing that is known', async () => {
	hasEtags = true;
	await trigger.poll();
	expect(await parsed(poll)).toBe(0);
	expect(conditions).toEqual([undefined, expect.stringMatching(/^"\d+-1"$/)]);
	responses.push({ uuid: 'second' });
	expect(await poll()).toEqual(['second']);
});

it('A listing with the same bytes is read again when time alone brings an event', async () => {
	hasEtags = true;
	await trigger.poll();
	responses.push({ uuid: 'begun', is_incomplete: true });
	expect(await poll()).toEqual([]);
	expect(await parsed(poll)).toBe(0);
	await time.sleep(3_700_000);
	expect(await poll()).toEqual(['begun']);
	expect(await parsed(poll)).toBe(0);
});
