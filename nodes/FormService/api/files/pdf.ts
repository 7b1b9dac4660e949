import type { Explanation } from '../errors';
import type { RemoteFile } from './binary';

/** The PDF of a response, from the link that the service gave to it. */
export function pdfFile(url: string, name: string): RemoteFile {
	return { url, name, mimeType: 'application/pdf', fromService: true, problemOf: pdfProblem };
}

/** How much of a file is looked at. */
const START_BYTES = 1024;

/** What is certainly no PDF: a page such as a login, an answer of the API, nothing. */
function pdfProblem(data: Buffer): Explanation | undefined {
	const start = data.subarray(0, START_BYTES).toString('utf8').trim();
	const found = STARTS.find(([pattern]) => pattern.test(start));
	return (
		found && {
			message: `The link to the PDF brought ${found[1]} in place of a PDF`,
			description:
				'The service may still be making it: try again later. With Download off, you get the link and can open it in a browser.',
			failure: { cause: 'temporarily-unavailable' },
		}
	);
}

const STARTS: ReadonlyArray<readonly [RegExp, string]> = [
	[/^$/, 'an empty file'],
	[/^</, 'a web page'],
	[/^[{[]/, 'JSON'],
];
