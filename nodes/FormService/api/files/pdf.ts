import type { Explanation } from '../errors';
import type { RemoteFile } from './download';

/** The PDF of a response, from the link that the service gave to it. */
export function pdfFile(url: string, name: string): RemoteFile {
	return { url, name, mimeType: 'application/pdf', fromService: true, problemOf: pdfProblem };
}

/** Where a PDF's first mark may stand (ISO 32000-1, annex H, note 13: within the first 1,024 bytes). */
const START_BYTES = 1024;
const MARK = '%PDF-';

/** What came where a PDF should: a page such as a login, an answer of the API, a picture, nothing. */
function pdfProblem(data: Buffer): Explanation | undefined {
	const start = data.subarray(0, START_BYTES).toString('latin1');
	if (start.includes(MARK)) return undefined;
	const [, found] = STARTS.find(([pattern]) => pattern.test(start.trim())) ?? [];
	return {
		message: `The link to the PDF returned ${found ?? 'another file'} instead of a PDF`,
		description:
			"The service may still be creating it: try again later. Turn off 'Download' to get the link, and open it in a browser.",
		failure: { cause: 'temporarily-unavailable' },
	};
}

const STARTS: ReadonlyArray<readonly [RegExp, string]> = [
	[/^$/, 'an empty file'],
	[/^(\xEF\xBB\xBF)?</, 'a web page'],
	[/^(\xEF\xBB\xBF)?[{[]/, 'JSON'],
	[/^(\x89PNG|GIF8|\xFF\xD8\xFF|RIFF....WEBP)/s, 'an image'],
	[/^[\t\n\r\x20-\x7E]+$/, 'text'],
];
