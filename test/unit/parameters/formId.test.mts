import { expect, it } from 'vitest';
import { extractFormId } from '../../../nodes/FormService/parameters/formId.ts';

const UUID = '9b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d';

it.each([
	[' aB3xY9\n', 'aB3xY9'],
	['https://forms.example.com/aB3xY9', 'aB3xY9'],
	['https://forms.example.com/f/aB3xY9/', 'aB3xY9'],
	['https://forms.example.com/f/some-words-aB3xY9', 'aB3xY9'],
	['https://forms.example.com/f/f%C3%BCr-alle-aB3xY9?source=mail#top', 'aB3xY9'],
	['https://forms.example.com/some-words-aB3xY9', 'aB3xY9'],
	['https://app.example.com/forms/aB3xY9/form/preview', 'aB3xY9'],
	['https://app.example.com/workspace/1/forms/aB3xY9/responses', 'aB3xY9'],
	['https://app.example.com/form/f/aB3xY9/edit', 'aB3xY9'],
	['https://app.example.com/api/v1/forms/aB3xY9/fields', 'aB3xY9'],
	[`https://forms.example.com/${UUID}`, UUID],
	[`https://forms.example.com/f/${UUID}`, UUID],
	['https://forms.example.com/f/some-words-aB3xY', 'aB3xY'],
	['https://forms.example.com/f/some-words-aB3xY9z', 'aB3xY9z'],
	['https://forms.example.com/some-words-f5d0c1e2a', 'f5d0c1e2a'],
	['https://app.example.com/forms/some-words-aB3xY9zQ12/edit', 'aB3xY9zQ12'],
	['https://forms.example.com/f/some-words-kLmNo', 'kLmNo'],
	['https://forms.example.com/f/contact-us', 'contact-us'],
	['https://forms.example.com/f/Contact-Support', 'Contact-Support'],
	['https://forms.example.com/f/customer-feedback', 'customer-feedback'],
	['https://forms.example.com/f/feedback-2026', 'feedback-2026'],
	['https://forms.example.com/f/feedback-q3', 'feedback-q3'],
])('The ID in %j is %j', (value, id) => {
	expect(extractFormId(value)).toBe(id);
});
