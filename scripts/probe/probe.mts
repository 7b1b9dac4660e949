import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type * as kinds from '../../nodes/FormService/answers/fieldKinds.ts';
import type * as parsing from '../../nodes/FormService/answers/fields.ts';
import type * as targets from '../../nodes/FormService/api/endpoints.ts';
import type * as envelopes from '../../nodes/FormService/api/request/parseReply.ts';
import type * as errors from '../../nodes/FormService/api/errors.ts';
import type * as identities from '../../nodes/FormService/api/records.ts';
import type * as lists from '../../nodes/FormService/api/replies/fetchPages.ts';
import type * as service from '../../nodes/FormService/api/service.ts';
import { builtFile } from '../../test/integration/n8n/built.mts';
import { root } from '../lib/paths.mts';
import type { Connection } from './connect.mts';
import { isServiceWord } from './recording.mts';

const folder = 'nodes/FormService';
const { findFieldKind } = builtFile<typeof kinds>(`${folder}/answers/fieldKinds.js`);
const { matchAnswers, parseFields } = builtFile<typeof parsing>(`${folder}/answers/fields.js`);
const { createTarget, endpoints } = builtFile<typeof targets>(`${folder}/api/endpoints.js`);
const { describeShape, unwrapEnvelope } = builtFile<typeof envelopes>(
	`${folder}/api/request/parseReply.js`,
);
const { getRequestFailure } = builtFile<typeof errors>(`${folder}/api/errors.js`);
const { getCreationTimeMs, getFormId, getId, isId } = builtFile<typeof identities>(
	`${folder}/api/records.js`,
);
const { fetchPages, isWholeList } = builtFile<typeof lists>(`${folder}/api/replies/fetchPages.js`);
const { fetchPdfLink, fetchWorkspace } = builtFile<typeof service>(`${folder}/api/service.js`);

type Finding = {
	status: 'met' | 'not met' | 'not seen';
	/** Names and types of what was found; never values. */
	found: string;
};

/** A row of docs/contract.md. */
export type Row = Finding & { name: string; expected: string };

/** Rows that requests alone cannot cause, and that a service can lack. */
const OPTIONAL = [
	...['a refusal', 'the next page', 'an added response', 'an update of a form'],
	...['headers', 'a limit', 'maintenance'],
];

/** Whether a service fits the contract, as far as the probe can see. */
export const isFit = (rows: readonly Row[]): boolean =>
	rows.every(
		({ name, status }) => status === 'met' || (status === 'not seen' && OPTIONAL.includes(name)),
	);

/** The most forms that are searched for a response, and the most pages of a list. */
const MAX_FORMS = 3;
const MAX_PAGES = 2;

type Probing = Connection & { findings: Map<string, Finding> };

/** Probes a service with at most ten GET requests, and compares its replies with docs/contract.md. */
export async function probe(connection: Connection): Promise<Row[]> {
	const probing: Probing = { ...connection, findings: new Map() };
	const { context } = connection;
	await attempt(probing, 'the workspace', async () => {
		await fetchWorkspace(context, createTarget(context.account, endpoints.getWorkspace));
	});
	const forms = await readList(probing, endpoints.listForms);
	const unnamed = forms.filter(({ name }) => typeof name !== 'string').length;
	if (forms.length > 0)
		note(probing, 'a form', `${unnamed} of ${forms.length} without a name`, unnamed === 0);
	for (const formId of forms.map(getFormId).filter(isId).slice(0, MAX_FORMS)) {
		const responses = await readList(probing, endpoints.listResponses, formId);
		if (responses.length === 0) continue;
		const untimed = responses.filter((one) => getCreationTimeMs(one) === undefined).length;
		note(probing, 'a response', `${untimed} without a readable created_at`, untimed === 0);
		const fields = await readList(probing, endpoints.listFields, formId);
		if (fields.length > 0) checkFields(probing, fields, responses);
		await attempt(probing, 'a PDF', async () => {
			const ids = { responseId: getId(responses[0]) ?? '' };
			await fetchPdfLink(context, createTarget(context.account, endpoints.getPdf, ids));
		});
		break;
	}
	return (await readContract()).map(([name, expected]) => {
		const finding = probing.findings.get(name) ?? { status: 'not seen', found: '' };
		return { name, expected, ...finding };
	});
}

/** The first two columns of the contract's table. */
async function readContract(): Promise<string[][]> {
	const page = await readFile(join(root, 'docs', 'contract.md'), 'utf8');
	const rows = page.split('\n').filter((line) => line.startsWith('| '));
	return rows.slice(2).map((line) => line.split(' | ').map((cell) => cell.replace(/^\| /, '')));
}

/** Notes what was found about a row. Nothing replaces what does not fit. */
function note({ findings }: Probing, name: string, found = '', isMet = true): void {
	if (findings.get(name)?.status === 'not met') return;
	findings.set(name, { status: isMet ? 'met' : 'not met', found });
}

/** Reads what a row is about. The package's own error decides which row is not met. */
async function attempt<T>(
	probing: Probing,
	name: string,
	read: () => Promise<T>,
): Promise<T | undefined> {
	try {
		const value = await read();
		for (const met of ['every reply', name]) note(probing, met);
		return value;
	} catch (error) {
		noteFailure(probing, error);
		return undefined;
	}
}

const CHECK = 'Check the address, the access token, and what the token may read.';
const REPORT = 'Report this output as an issue of n8n-nodes-formservice.';

/** The rows that say what else than data a service can reply, by the reason of the failure. */
const ROWS_OF_REASONS: Partial<Record<string, string>> = {
	pdfMissing: 'a PDF',
	unavailable: 'maintenance',
	minuteLimit: 'a limit',
	dayLimit: 'a limit',
};

function noteFailure(probing: Probing, error: unknown): void {
	const { reason = '', detail = '' } = getRequestFailure(error) ?? {};
	const { status, body } = probing.replies.at(-1) ?? {};
	const row = ROWS_OF_REASONS[reason];
	if (row !== undefined) return note(probing, row, 'Try again later.');
	if (body === undefined) {
		const found = status === undefined ? 'no reply' : `status ${status} without JSON`;
		return note(probing, 'every reply', `${found}. ${CHECK}`, false);
	}
	if (reason !== 'unexpectedReply') return note(probing, 'a refusal', `status ${status}. ${CHECK}`);
	const [, path = ''] = /found "(.*)", /.exec(detail) ?? [];
	const isNamed = detail.includes('next page') && path.split('.').every(isServiceWord);
	const found = isNamed ? `"${path}"` : showShape(unwrapEnvelope(body).data);
	note(probing, findUnmetRow(detail), `${found}. ${REPORT}`, false);
}

/** Describes a value by its names and types. Names that can be a person's words become "others". */
const showShape = (value: unknown): string =>
	describeShape(
		lodash.isPlainObject(value)
			? lodash.mapKeys(value as object, (_, name) => (isServiceWord(name) ? name : 'others'))
			: value,
	);

/** The row of which the package says that it expected something else. */
function findUnmetRow(detail: string): string {
	if (detail.includes('expected a workspace')) return 'the workspace';
	if (detail.includes('found a list')) return 'a record of a list';
	if (detail.includes('expected a list')) return 'a list';
	return detail.includes('pdf_url') ? 'a PDF' : 'the next page';
}

/** Reads the first pages of a list. Empty if that fails. */
async function readList(probing: Probing, endpoint: targets.Endpoint, formId = '') {
	const { context } = probing;
	const read = async () => {
		const pages: lists.ListPage[] = [];
		const target = createTarget(context.account, endpoint, { formId });
		for await (const page of fetchPages(context, target)) {
			pages.push(page);
			if (pages.length === MAX_PAGES) break;
		}
		return pages;
	};
	const pages = (await attempt(probing, 'a list', read)) ?? [];
	const records = pages.flatMap((page) => page.records);
	if (records.length > 0) note(probing, 'a record of a list');
	if (pages.length > 1) note(probing, 'the next page');
	if (pages.length === 0 || pages.at(-1)?.nextUrl !== undefined) return records;
	const [{ total }] = pages;
	const distinctCount = new Set(records.map(getId)).size;
	const hasAll = isWholeList({ distinctCount, recordCount: records.length, total });
	note(probing, 'the whole list', `${distinctCount} of ${total} records`, hasAll);
	return records;
}

function checkFields(probing: Probing, records: IDataObject[], responses: IDataObject[]): void {
	const texts = records.filter((field) => findFieldKind(field) === 'text');
	const types = lodash.uniq(texts.map(({ type }) => String(type)));
	const [words, others] = lodash.partition(types, isServiceWord);
	const hasNames = records.every(({ label, name }) => Boolean(label) || Boolean(name));
	note(probing, 'a field', `read as text: ${words.join(', ')}, ${others.length} others`, hasNames);
	const fields = parseFields(records);
	const matched = responses.map((response) => matchAnswers(response, fields));
	const unreadCount = matched.filter(({ problem }) => problem !== undefined).length;
	const answers = matched.flatMap((one) => one.answers);
	const foreignCount = answers.filter(({ field }) => field === undefined).length;
	const found = `${unreadCount} unreadable; ${foreignCount} of ${answers.length} without a field`;
	const isMatched = answers.length === 0 || foreignCount < answers.length;
	note(probing, 'the answers of a response', found, unreadCount === 0 && isMatched);
}

/** Renders the rows for a terminal. */
export const renderRows = (rows: readonly Row[]): string =>
	rows
		.map(({ name, expected, status, found }) => {
			const wanted = status === 'not met' ? `\n          expected: ${expected}` : '';
			return `${status.padEnd(8)}  ${name}${wanted}${found ? `\n          found: ${found}` : ''}`;
		})
		.join('\n');
