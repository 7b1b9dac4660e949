import { expect, it } from 'vitest';

type Stories = Record<string, string>;

/** Tests stories, by name: what happens, each step with what is seen then. `play` repeats a story with what it sees. */
export function testStories(what: string, play: (story: string) => string, stories: Stories): void {
	it.each(Object.entries(stories))(`${what} %s`, (_name, story) => {
		expect(play(story)).toBe(story);
	});
}
