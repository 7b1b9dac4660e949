/** Where the first mark of a PDF may be (ISO 32000-1, annex H, note 13: in the first 1,024 bytes). */
const MARK = '%PDF-';

/**
 * What came in place of a PDF: a page such as a login, a reply of the API, an image, nothing.
 *
 * @param start the first 1,024 bytes, or all of a shorter file
 * @returns undefined for a PDF
 */
export function pdfMismatch(start: Buffer): string | undefined {
	const text = start.toString('latin1');
	if (text.includes(MARK)) return undefined;
	const [, found = 'another file'] = STARTS.find(([pattern]) => pattern.test(text.trim())) ?? [];
	return found;
}

const STARTS: ReadonlyArray<readonly [RegExp, string]> = [
	[/^$/, 'an empty file'],
	[/^(\xEF\xBB\xBF)?</, 'a web page'],
	[/^(\xEF\xBB\xBF)?[{[]/, 'JSON'],
	[/^(\x89PNG|GIF8|\xFF\xD8\xFF|RIFF....WEBP)/s, 'an image'],
	[/^[\t\n\r\x20-\x7E]+$/, 'text'],
];
