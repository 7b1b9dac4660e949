import { range } from 'lodash';
import type { Failure, INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../nodes/FormService/api/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../../../nodes/FormService/trigger/budget.ts';
import * as health from '../../../nodes/FormService/trigger/health.ts';
import type { AccountHealth, Failing } from '../../../nodes/FormService/trigger/health.ts';
import { testStories } from '../stories.mts';

const NOW = Date.UTC(2026, 10, 21, 12) + 0.375;
const at = (minute: number) => NOW + minute * MINUTE_MS;

const down: Failure = { cause: 'temporarily-unavailable' };
const createError = (failure: Failure, httpCode?: string) =>
	new ServiceError({} as INode, { message: 'Down', description: 'Why.', failure, httpCode });

/**
 * A list that is polled every 2 minutes. Its story has the minutes at which polls fail: `7`; `7+3` for a reply
 * after 3 minutes; `7~25` if the service asks for 25 minutes; `7@25` if it names minute 25.
 */
class List implements Failing {
	health = health.HEALTHY;
	againMs = HOUR_MS;

	constructor(story = '') {
		if (story !== '') this.play(story);
	}

	private fail(text: string, isWhole: boolean): void {
		const [, minute, took = 0, asked, until] = /^([-\d]+)(?:\+(\d+))?(?:~(\d+))?(?:@(\d+))?$/.exec(
			text,
		)!;
		const startedAtMs = at(Number(minute));
		const failedAtMs = startedAtMs + Number(took) * MINUTE_MS;
		// the poll of that minute is not too early
		const retry = asked && { retryAfterMs: Number(asked) * MINUTE_MS - 1_000 };
		const reset = until && { resetsAtEpochMs: at(Number(until)) - 1_000 };
		const error = createError({ ...down, ...retry, ...reset });
		health.recordFailure(this, { error, startedAtMs, failedAtMs, isWhole }, this.againMs);
	}

	/** The first minute from then on at which it is read. */
	private findNext(from: string, isWhole: boolean): string {
		const isRead = (minute: number) =>
			health.isBackOffOver(this, 2 * MINUTE_MS, at(minute), isWhole);
		return String(range(Number(from), Number(from) + 200).find(isRead));
	}

	/** Returns the story with when the failure is reported, and when the list is read again. */
	play(story: string): string {
		const steps: Record<string, (word: string) => string | void> = {
			fails: (word) => this.fail(word, false),
			failsWhole: (word) => this.fail(word, true),
			good: () => health.recordSuccess(this, true),
			goodPage: () => health.recordSuccess(this, false),
			getsOn: () => health.recordProgress(this),
			oneOfSeveral: () => void (this.againMs = Infinity),
			next: (word) => this.findNext(word, false),
			nextWhole: (word) => this.findNext(word, true),
		};
		const seen = story.split('; ').map((step) => {
			const [action] = step.split(' -> ');
			const [verb, ...words] = action.split(' ');
			const results = (words.length > 0 ? words : ['']).flatMap((word) => steps[verb](word) ?? []);
			const isReported = health.takePendingError([this]) !== undefined;
			return [action, ...results, ...(isReported ? ['reported'] : [])].join(' -> ');
		});
		return seen.join('; ');
	}
}

const play = (story: string) => new List().play(story);

testStories('Failures in a row are reported', play, {
	'with the third, not before': 'fails 0; fails 4; fails 12 -> reported; fails 28',
	'again after an hour':
		'fails 0 4 12 -> reported; fails 28 58 71; fails 72 -> reported; fails 131; fails 132 -> reported',
	'again if the clock is set back':
		'fails 0 4 12 -> reported; fails -1440 -> reported; fails -1420',
	'not after a success between them': 'fails 0 4; good; fails 20 24; fails 30 -> reported',
	'once if the form is one of several': 'oneOfSeveral; fails 0 4 12 -> reported; fails 99 9999',
	'also if newest pages are read between failing whole readings':
		'failsWhole 0; goodPage; failsWhole 300; goodPage; failsWhole 600 -> reported',
});

const fiftyTimes = `fails ${range(50).join(' ')} -> reported`;
testStories('A list that failed waits', play, {
	'4, 8, 16, then 30 minutes':
		'fails 0; next 0 -> 4; fails 4; next 4 -> 12; fails 12 -> reported; next 12 -> 28; fails 28; next 28 -> 58',
	'from the start of the poll': 'fails 0+3; next 3 -> 4',
	'as long as the service asks, from the reply on': 'fails 0+3~25; next 3 -> 28',
	'until the time that the service names': 'fails 0@45; next 0 -> 45',
	'for an hour at most, whatever the service asks': 'fails 0~1440; next 0 -> 61',
	'as long as the service asked, also after another failure': 'fails 0~50 9; next 9 -> 50',
	'no longer if the clock is set back by a minute': 'fails 0~50; next -1 -> -1',
	'no longer if the clock is set back by thirty days': `${fiftyTimes}; next -43200 -> -43200`,
	'for later failures after the clock was set back': 'fails 0~50 -1440; next -1440 -> -1432',
	'no more after a success, also when the clock is there again':
		'fails 0~60; next -1440 -> -1440; good; next 1 -> 1; failsWhole 10~60; goodPage; next 11 -> 11',
	'with whole readings until one gets on, and not with its newest pages':
		'failsWhole 0; goodPage; failsWhole 300; goodPage; next 301 -> 301; nextWhole 301 -> 308; getsOn; nextWhole 301 -> 301',
});

it('Of several forms that fail, one is reported in an hour', () => {
	const account: AccountHealth = { health: health.HEALTHY, outage: new Map() };
	const find = (minute: number) => {
		const list: Failing = { health: { ...health.HEALTHY, pendingError: createError(down) } };
		return health.takeErrorOfForm(account, [list], at(minute), HOUR_MS) !== undefined;
	};
	expect([0, 1, 59, 60, 61, -60].map(find)).toEqual([true, false, false, true, false, true]);
});

it('The reported error says what it means for responses', () => {
	const list: Failing = { health: { ...health.HEALTHY, pendingError: createError(down) } };
	const { description } = health.takePendingError([new List(), list])!;
	expect(description).toBe('Why. The trigger keeps trying, and no response is lost.');
});

it('A person who publishes sees at once what works again, but for what the service asked for', () => {
	const [failed, refused, good] = [new List('fails 0'), new List('fails 0~9'), new List()];
	// also in the instant of the failure
	const isWanted = (...lists: List[]) => health.isRetryWanted(lists, at(0));
	expect(isWanted(failed, good)).toBe(true);
	expect(isWanted(failed, refused)).toBe(false);
	expect(isWanted(good)).toBe(false);
});

describe('A failure is about the account', () => {
	const createAccount = (): AccountHealth => ({ health: health.HEALTHY, outage: new Map() });

	it('if it is one of the token or of limits, however often others happen', () => {
		const ofAccount = ['credential-invalid', 'rate-limited', 'quota-exhausted'];
		for (const cause of [...ofAccount, 'configuration-invalid', 'node-defect']) {
			const [account, list] = [createAccount(), new List()];
			const error = createError({ cause } as Failure);
			const find = (id: string) => health.findFailing(account, list, id, error, 10, 'schedule');
			expect([find('a'), find('b')][1], cause).toBe(ofAccount.includes(cause) ? account : list);
		}
	});

	// each letter is a list: without a reply, with a temporary error (5), or with a page (+)
	it.each<[string, string, number, boolean]>([
		['not if one list has no reply, also twice', 'a a', 10, false],
		['if two lists have none', 'a b', 10, true],
		['not if a page has come since', 'a b+ c', 10, false],
		['not if nine lists have errors', 'a5 b5 c5 d5 e5 f5 g5 h5 i5', 20, false],
		['if ten lists have errors', 'a5 b5 c5 d5 e5 f5 g5 h5 i5 j5', 20, true],
		['not if two of three lists have errors', 'a5 b5', 3, false],
		['if all of three lists have errors', 'a5 b5 c5', 3, true],
		['not if it is the only list', 'a', 1, false],
	])('%s', (_rule, replies, watchedCount, isOfAccount) => {
		const [account, list] = [createAccount(), new List()];
		const failing = replies.split(' ').map(([id, mark]) => {
			if (mark === '+') return health.recordAnswer(account);
			const error = createError(down, mark === '5' ? '503' : undefined);
			return health.findFailing(account, list, id, error, watchedCount, 'schedule');
		});
		expect(failing.at(-1)).toBe(isOfAccount ? account : list);
	});

	it('in an activation after as many errors as the account has requests in a minute', () => {
		const [account, list] = [createAccount(), new List()];
		const error = createError(down, '503');
		const failing = range(60).map((id) =>
			health.findFailing(account, list, `${id}`, error, 99, 'activation'),
		);
		expect(failing.indexOf(account)).toBe(59);
	});

	it('no more once a page has come', () => {
		const account = Object.assign(new List('fails 0'), { outage: new Map() });
		health.recordAnswer(account);
		expect(account.health).toBe(health.HEALTHY);
	});
});
