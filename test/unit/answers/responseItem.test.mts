import { expect, it } from 'vitest';
import { parseUpload } from '../../../nodes/FormService/answers/decode.ts';
import {
	createResponseItem,
	type ResponseOutput,
} from '../../../nodes/FormService/answers/responseItem.ts';
import type { RequestContext } from '../../../nodes/FormService/api/requestContext.ts';

it('Items of one response share no list, so that a change of one changes no other', async () => {
	const record = { responses: [{ key: 'Tags', value: ['a'] }] };
	const output = { simplify: false } as ResponseOutput;
	const { json } = await createResponseItem({} as RequestContext, record, output);
	expect(json).toEqual(record);
	expect(json.responses).not.toBe(record.responses);
});

it.each([
	[' my cv.pdf|https://h/my cv.pdf\n', false, 'my cv.pdf', 'https://h/my%20cv.pdf'],
	// a path could lead out of the folder that a workflow writes the file into
	['../../etc/cv.pdf|https://h/1', false, 'cv.pdf', 'https://h/1'],
	['C:\\temp\\cv.pdf|https://h/1', false, 'cv.pdf', 'https://h/1'],
	['foto.jpg (1)|https://h/1', false, 'foto.jpg (1)', 'https://h/1'],
	['1.50|https://h/1', false],
	['a|b.pdf|https://h/1', false, 'a|b.pdf', 'https://h/1'],
	['scan|https://h/1', true, 'scan', 'https://h/1'],
	['https://h/c%20v.pdf?signature=x', true, 'c%20v.pdf', 'https://h/c%20v.pdf?signature=x'],
	['https://h/', true, 'file', 'https://h/'],
	['https://example.com/a.pdf', false],
	['a.pdf|ftp://h/a.pdf', false],
	['cv.pdf|https://h and some more', false],
])('The answer %j (in a field for files: %s) is the file %s at %s', (...row) => {
	const [answer, isFileField, name, url] = row;
	expect(parseUpload(answer, isFileField)).toEqual(name === undefined ? undefined : { name, url });
});
