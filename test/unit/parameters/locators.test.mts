import { expect, it } from 'vitest';
import { extractFormId } from '../../../nodes/FormService/parameters/locators.ts';

it.each([
	[' aB3xY9\n', 'aB3xY9'],
	['an-ID', 'an-ID'],
	['https://forms.example.com/aB3xY9', 'aB3xY9'],
	['https://forms.example.com/f/aB3xY9/', 'aB3xY9'],
	['https://forms.example.com/f/some-words-aB3xY9', 'aB3xY9'],
	['\u200eaB3xY9\ufeff', 'aB3xY9'],
	['https://forms.example.com/f/f%C3%BCr-alle-aB3xY9?source=mail-1#top', 'aB3xY9'],
	['https://forms.example.com', ''],
])('The ID in %j is %j', (value, id) => {
	expect(extractFormId(value)).toBe(id);
});
