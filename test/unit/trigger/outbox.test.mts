import { groupBy, range, sumBy } from 'lodash';
import { expect, it } from 'vitest';
import type { FoundEvent } from '../../../nodes/FormService/trigger/compare.ts';
import { describeKnown } from '../../../nodes/FormService/trigger/knowledge.ts';
import * as outboxes from '../../../nodes/FormService/trigger/outbox.ts';
import type { Outbox } from '../../../nodes/FormService/trigger/outbox.ts';
import { testStories } from '../stories.mts';

/** `a3` is an event of a response of form a, created at second 3; `a3*` existed before; `a3?` is Started. */
function readEvent(text: string): FoundEvent {
	const [, fingerprint, second, mark] = /^([a-c](\d+))([*?]?)$/.exec(text)!;
	return {
		event: mark === '?' ? 'responseStarted' : 'responseCompleted',
		record: { id: fingerprint, created_at: new Date(1e12 + Number(second) * 1_000).toISOString() },
		fingerprint,
		after: describeKnown(mark === '?' ? 'incomplete' : 'complete'),
		isExisting: mark === '*',
	};
}

const showEvent = ({ fingerprint, event }: FoundEvent) =>
	fingerprint + (event === 'responseStarted' ? '?' : '');
const show = (events: Iterable<FoundEvent>) => Array.from(events, showEvent).join(' ');
const list = (outbox: Outbox) => [...outboxes.listWaiting(outbox, 'a').values()];

/** What happens to an outbox, and what is seen of it then. */
const steps: Record<string, (outbox: Outbox, words: string[]) => string | void> = {
	/** Returns how many have no room. */
	found: (outbox, texts) => {
		const byForm = Object.entries(groupBy(texts.map(readEvent), 'fingerprint[0]'));
		const dropped = sumBy(byForm, ([id, events]) => outboxes.addEvents(outbox, id, events));
		return dropped > 0 ? `${dropped}` : undefined;
	},
	/** A poll with this room, also of some forms only. */
	poll: (outbox, [room, ...forms]) => {
		const ids = forms.length > 0 ? forms : ['a', 'b', 'c'];
		const taken = outboxes.takeEvents(outbox, new Set(ids), Number(room));
		for (const id of taken.keys()) outboxes.advanceTurn(outbox, id);
		return [...taken.values()].map(show).join(', ');
	},
	kept: (outbox) => outboxes.confirmTaken(outbox),
	discarded: (outbox) => outboxes.takeBack(outbox),
	/** Returns what the filters drop of form a. */
	filter: (outbox, wanted) => show(outboxes.sortOut(outbox, 'a', new Set(wanted))),
	filtersChanged: (outbox) => outboxes.recheckEvents(outbox),
	passed: (outbox) => show(list(outbox).filter(({ isWanted }) => isWanted)),
	waiting: (outbox) => show(list(outbox)),
	watch: (outbox, ids) => outboxes.keepEvents(outbox, new Set(ids)),
};

/** Returns the story with what was seen. */
function play(story: string, outbox = outboxes.createOutbox()): string {
	const seen = story.split('; ').map((step) => {
		const [action] = step.split(' ->');
		const [verb, ...words] = action.split(' ');
		const result = steps[verb](outbox, words);
		return result === undefined ? action : `${action} -> ${result}`.trimEnd();
	});
	return seen.join('; ');
}

testStories('Room in a poll', play, {
	'is for all if there is enough': 'found a1 a2 b1; poll 9 -> a1 a2, b1; poll 9 ->',
	'goes to the forms in turn': 'found a1 a2 a3 b1 b2 c1; poll 4 -> a1 a2, b1, c1; poll 9 -> a3, b2',
	'goes to the forms in turn, also from poll to poll':
		'found a1 a2 a3 b1 b2 c1; poll 1 -> a1; poll 1 -> b1; poll 1 -> c1; poll 1 -> a2; poll 1 -> b2; poll 1 -> a3',
	'goes to the forms in turn, however often one had it before':
		'found a1; poll 1 -> a1; found a2; poll 1 -> a2; found a3 b1 b2; poll 1 -> b1; poll 1 -> a3',
	'goes to those first that had none': 'found a1 a2 b1 c1; poll 2 -> a1, b1; poll 2 -> c1, a2',
	'that others do not need goes to one form': 'found a1 a2 a3 a4 b1; poll 4 -> a1 a2 a3, b1',
	'goes to forms whose events can be delivered now': 'found a1 b1; poll 9 b -> b1; poll 9 -> a1',
	'goes to the oldest, however they are listed': 'found a30 a4 a100; poll 2 -> a4 a30',
	'goes to new responses first, and items come oldest first':
		'found a1* a9 a2* a8; poll 3 -> a1 a8 a9; poll 9 -> a2',
	'for one of two events of a response is for its completion':
		'found a1? a2?; found a1; poll 1 -> a1; poll 9 -> a2?',
	'can be used up: then events wait': 'found a1; poll 0 ->; poll 1 -> a1',
});

testStories('What n8n discards', play, {
	'comes again until n8n keeps it':
		'found a1 a2 b1; poll 2 -> a1, b1; discarded; poll 2 -> a1, b1; kept; discarded; poll 9 -> a2',
	'comes before what had no room':
		'found a1 a2 a3; poll 2 -> a1 a2; discarded; waiting -> a1 a2 a3',
	'keeps its place among what was found since':
		'found a2 a3 a5; poll 2 -> a2 a3; found a1 a4; discarded; waiting -> a1 a2 a3 a4 a5',
	'comes after new ones if it existed before':
		'found a1* a2* a8; poll 2 -> a1 a8; found a9; discarded; waiting -> a8 a9 a1 a2',
	'is replaced by what was found of a response since':
		'found a1? a2?; poll 2 -> a1? a2?; found a1; discarded; waiting -> a1 a2?',
});

testStories('The outbox', play, {
	'drops what the filters drop':
		'found a1 a2 a3; filter a1 a3 -> a2; passed -> a1 a3; poll 9 -> a1 a3',
	'shows events to the filters again after a later find or a change':
		'found a1? a2; filter a1 a2 ->; found a1 a3; passed -> a2; filtersChanged; passed ->; waiting -> a1 a2 a3',
	'forgets the events of forms that are not watched': 'found a1 b1; watch b; poll 9 -> b1',
});

it('Events that were taken can go back in part, such as those whose files are missing', () => {
	const outbox = outboxes.createOutbox();
	play('found a1 a2 a3; poll 2', outbox);
	outboxes.takeBack(outbox, outbox.taken.slice(1));
	expect([show(outbox.taken), show(list(outbox))]).toEqual(['a1', 'a2 a3']);
});

it('5,000 events of a form wait: a later reading finds the last ones again, and new ones come first', () => {
	const outbox = outboxes.createOutbox();
	const existing = range(5_003)
		.map((one) => `a${one}*`)
		.join(' ');
	const story = `found b1 ${existing} -> 3; found a9999 -> 1; poll 9 b -> b1`;
	expect(play(story, outbox)).toBe(story);
	expect(show(list(outbox))).toMatch(/^a9999 a0 a1 .* a4997 a4998$/);
});
