import type { IDataObject, INode } from 'n8n-workflow';
import { NotSent, ServiceError } from '../../../nodes/FormService/api/errors.ts';
import { computeFingerprint, describeKnown } from '../../../nodes/FormService/trigger/knowledge.ts';
import type { KnownResponse } from '../../../nodes/FormService/trigger/knowledge.ts';
import * as positions from '../../../nodes/FormService/trigger/position.ts';
import { testStories } from '../stories.mts';

/*
 * A story begins with the pages of a list: `9 8 / 7` are responses by the seconds at which they were created,
 * `#9` has a number alone, and `x` neither. `all 2` reads two more pages of the whole list, and `new 2` of the
 * newest; `!` if the page after them cannot be read, `404` if it is gone, `~` if it was not asked for.
 */
const node = {} as INode;
const createError = (cause: 'temporarily-unavailable' | 'configuration-invalid') =>
	new ServiceError(node, { message: 'Bad page', failure: { cause } });
const errors: Record<string, Error> = {
	'!': createError('temporarily-unavailable'),
	'404': createError('configuration-invalid'),
	'~': new NotSent(node),
};

function toRecord(id: string): IDataObject {
	if (id.startsWith('#')) return { id, number: Number(id.slice(1)) };
	return { id, created_at: id === 'x' ? null : new Date(1e12 + Number(id) * 1_000).toISOString() };
}

/** Returns the story with the pages that were read and what that has come to, and where the newest responses are. */
function play(story: string): string {
	const known = new Map<string, KnownResponse>();
	let position = positions.createPosition({});
	let [list, isNumbered] = ['', true];
	const toPage = (index: number) => ({ url: `${index}`, pagesBefore: index, recordsBefore: 0 });

	function read(scope: positions.Scope, count: number, mark: string): string {
		const all = list.split(' / ').map((page) => page.split(' ').map(toRecord));
		const from = scope === 'whole' ? position.whole?.next : position.newestEnd?.start;
		const first = from?.pagesBefore ?? 0;
		const pages = all.slice(first, first + count).map((records, place) => ({
			...{ ...toPage(first + place), records, isNumbered, requests: 1, readAtMs: 0 },
			...{ isLast: first + place === all.length - 1, next: toPage(first + place + 1) },
		}));
		const isEnd = mark === '' && pages.at(-1)?.isLast === true;
		const [only, ...others] = pages;
		const next = isEnd ? undefined : (others.at(-1) ?? only?.next ?? from);
		const part = { pages, requests: count, isEnd, next, error: errors[mark] };
		const entries = pages
			.flatMap(({ records }) => records)
			.map((record) => [computeFingerprint(String(record.id)), record] as const);
		const compared = { listed: new Map(entries), hasFoundExisting: false };
		const moved = positions.movePosition(position, scope, part, compared, known);
		({ position } = moved);
		for (const [fingerprint] of entries) known.set(fingerprint, describeKnown('complete'));
		const { outcome } = moved;
		const size = outcome.kind === 'whole' ? `whole of ${outcome.listed.size}` : outcome.kind;
		const numbers = pages.map(({ pagesBefore }) => pagesBefore + 1).join('');
		return [numbers, ...(size === 'partial' ? [] : [size])].join(' ').trim();
	}

	const seen = story.split('; ').map((step) => {
		const [action] = step.split(' ->');
		const [, verb, count, mark] = /^(all|new) (\d)(.*)$/.exec(action) ?? [action, action, '', ''];
		if (verb === 'restart')
			position = positions.createPosition(positions.toSavedPosition(position) ?? {});
		else if (verb === 'by cursors') isNumbered = false;
		else if (verb === 'newest') {
			const { newest, start } = position.newestEnd ?? {};
			const shown = newest && start ? `${newest} ${start.pagesBefore + 1}` : newest;
			return `${action} -> ${shown ?? ''}`.trim();
		} else if (count !== '')
			return `${action} -> ${read(verb === 'all' ? 'whole' : 'newest', Number(count), mark)}`.trim();
		else list = action;
		return action;
	});
	return seen.join('; ');
}

testStories('A whole reading of several polls', play, {
	'goes on with the last page, or behind a single one':
		'3 / 2 / 1; all 2 -> 12; all 1 -> 2; all 1 -> 3 whole of 3; all 3 -> 123 whole of 3',
	'goes on after a restart, and does not show then what is missing':
		'3 / 2 / 1; all 3 -> 123 whole of 3; all 2 -> 12; restart; newest -> first; all 2 -> 23 resumed; newest -> first; all 3 -> 123 whole of 3',
	'tries a page again that cannot be read, then begins anew':
		'3 / 2 / 1; all 2! -> 12; all 1! -> 2; all 3 -> 123 whole of 3',
	'begins anew only if the same page fails twice':
		'5 / 4 / 3 / 2 / 1; all 2! -> 12; all 2 -> 23 recovered; all 1! -> 3; all 2 -> 45 whole of 5',
	'does not begin anew because a page was not asked for':
		'3 / 2 / 1; all 2~ -> 12; all 1~ -> 2; all 1 -> 3 whole of 3; all 2! -> 12; all 1~ -> 2; all 0! ->; all 3 -> 123 whole of 3',
	'counts what readings of the newest page find meanwhile':
		'3 / 2 / 1; all 3 -> 123 whole of 3; all 2 -> 12; 4 3 / 2 / 1; new 1 -> 1; all 2 -> 23 whole of 4',
});

testStories('The newest responses of a list are', play, {
	'at its beginning if times fall, also where a page is read again':
		'6 5 / 4 3 / 2 1; all 2 -> 12; all 2 -> 23 whole of 6; newest -> first; restart; newest -> first',
	'at its end if times rise': '1 / 2 / 3; all 3 -> 123 whole of 3; newest -> last 3',
	'where numbers say, without times': '#3 / #2 / #1; all 3 -> 123 whole of 3; newest -> first',
	'anywhere if times rise and fall': '1 / 3 / 2; all 3 -> 123 whole of 3; newest ->',
	'anywhere if one has neither': '3 / 2 / x; all 3 -> 123 whole of 3; newest ->',
	'not looked for on two pages': '2 / 1; all 2 -> 12 whole of 2; newest ->',
	'not read from the end by cursors':
		'by cursors; 1 / 2 / 3; all 3 -> 123 whole of 3; newest ->; 3 / 2 / 1; all 3 -> 123 whole of 3; newest -> first',
	'read by themselves while a later page fails': '3 / 2 / 1; all 2! -> 12; newest -> first',
	'not read by themselves while it fails before the end': '1 / 2 / 3; all 2! -> 12; newest ->',
});

const falling = '3 / 2 / 1; all 3 -> 123 whole of 3';
const rising = '1 / 2 / 3; all 3 -> 123 whole of 3';
testStories('A reading of the newest responses', play, {
	'goes on in later polls until one is known, then begins at the first page': `${falling}; 7 / 6 / 5 / 3; new 1 -> 1; new 1 -> 2; new 2 -> 34; new 1 -> 1`,
	'begins at the first page again if a page ends with a known one':
		'3 2 / 1 / 0; all 3 -> 123 whole of 4; 4 3 / 2 1 / 0; new 1 -> 1; new 1 -> 1',
	'begins at the first page again after a page that cannot be read': `${falling}; 7 / 6 / 5 / 3; new 1 -> 1; new 1! -> 2; new 1 -> 1`,
	'is a whole one if it gets to the end': `${falling}; 4 3; new 1 -> 1 whole of 2`,
	'begins at the last page that begins with a known one': `${rising}; 1 / 2 / 3 / 4 / 5; new 3 -> 345; newest -> last 3; new 3 -> 345; newest -> last 5`,
	'keeps its page if that cannot be read': `${rising}; new 0! ->; newest -> last 3`,
	'is followed by a whole one if its page is gone': `${rising}; 1; new 0404 -> forgiven; newest ->`,
	'is followed by a whole one if its page begins with an unknown one': `${rising}; 0 / 1 / 2.5 / 3 / 4; new 3 -> 345; newest ->`,
	'is followed by a whole one if the order has changed': `${falling}; 3 4 / 2 / 1; new 1 -> 1; newest ->`,
});
