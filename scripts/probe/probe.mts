import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type * as kinds from '../../nodes/FormService/answers/fieldKinds.ts';
import type * as parsing from '../../nodes/FormService/answers/fields.ts';
import type * as matching from '../../nodes/FormService/answers/matchAnswers.ts';
import type * as targets from '../../nodes/FormService/api/endpoints.ts';
import type * as envelopes from '../../nodes/FormService/api/envelope.ts';
import type * as errors from '../../nodes/FormService/api/errors.ts';
import type * as identities from '../../nodes/FormService/api/records.ts';
import type * as lists from '../../nodes/FormService/api/replies/fetchPages.ts';
import type * as service from '../../nodes/FormService/api/service.ts';
import { builtFile } from '../../test/integration/n8n/built.mts';
import { root } from '../lib/paths.mts';
import type { Connection, Reply } from './connect.mts';
import { isServiceWord, showShape, showWords } from './describe.mts';

const folder = 'nodes/FormService';
const { findFieldKind } = builtFile<typeof kinds>(`${folder}/answers/fieldKinds.js`);
const { parseFields } = builtFile<typeof parsing>(`${folder}/answers/fields.js`);
const { matchAnswers } = builtFile<typeof matching>(`${folder}/answers/matchAnswers.js`);
const { createTarget, endpoints } = builtFile<typeof targets>(`${folder}/api/endpoints.js`);
const { unwrapEnvelope } = builtFile<typeof envelopes>(`${folder}/api/envelope.js`);
const { getRequestFailure } = builtFile<typeof errors>(`${folder}/api/errors.js`);
const { getFormId, getId, isId } = builtFile<typeof identities>(`${folder}/api/records.js`);
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
const OPTIONAL = ['a refusal', 'the next page', 'an added response', 'a limit', 'maintenance'];

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
	await attempt(probing, ['the workspace'], async () => {
		await fetchWorkspace(context, createTarget(context.account, endpoints.getWorkspace));
	});
	const forms = await readList(probing, endpoints.listForms);
	const formIds = (forms ?? []).map(getFormId).filter(isId).slice(0, MAX_FORMS);
	for (const formId of formIds) {
		const responses = await readList(probing, endpoints.listResponses, formId);
		if (responses?.length === 0) continue;
		const fields = await readList(probing, endpoints.listFields, formId);
		await checkForm(probing, responses ?? [], fields ?? []);
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

/** Reads what some rows are about. The package's own error decides which row is not met. */
async function attempt<T>(
	probing: Probing,
	names: string[],
	read: () => Promise<T>,
): Promise<T | undefined> {
	try {
		const value = await read();
		for (const name of ['every reply', ...names]) note(probing, name);
		return value;
	} catch (error) {
		noteFailure(probing, error, probing.replies.at(-1));
		return undefined;
	}
}

const CHECK = 'Check the address, the access token, and what the token may read.';
const REPORT = 'Report this output as an issue of n8n-nodes-formservice.';

function noteFailure(probing: Probing, error: unknown, reply?: Reply): void {
	const { reason, detail = '' } = getRequestFailure(error) ?? {};
	if (reply?.status === undefined) return note(probing, 'every reply', `no reply. ${CHECK}`, false);
	const status = `status ${reply.status}`;
	if (reason === 'pdfMissing') return note(probing, 'a PDF', 'an empty link');
	if (reason === 'unavailable') return note(probing, 'maintenance', 'Try again later.');
	if (reply.status === 429) return note(probing, 'a limit', 'Try again later.');
	if (reply.body === undefined)
		return note(probing, 'every reply', `${status} without JSON. ${CHECK}`, false);
	if (reason !== 'unexpectedReply') return note(probing, 'a refusal', `${status}. ${CHECK}`);
	const { data } = unwrapEnvelope(reply.body);
	const [, path = ''] = /found "(.*)", /.exec(detail) ?? [];
	const isNamed = path.split('.').every(isServiceWord);
	const found = detail.includes('next page') && isNamed ? `"${path}"` : showShape(data);
	note(probing, findUnmetRow(detail), `${found}. ${REPORT}`, false);
}

/** The row of which the package says that it expected something else. */
function findUnmetRow(detail: string): string {
	if (detail.includes('expected a workspace')) return 'the workspace';
	if (detail.includes('expected a list')) {
		return detail.includes('found a list') ? 'a record of a list' : 'a list';
	}
	return detail.includes('pdf_url') ? 'a PDF' : 'the next page';
}

/** Reads the first pages of a list. */
async function readList(probing: Probing, endpoint: targets.Endpoint, formId = '') {
	const { context } = probing;
	return await attempt(probing, ['a list'], async () => {
		const target = createTarget(context.account, endpoint, { formId });
		const pages: lists.ListPage[] = [];
		for await (const page of fetchPages(context, target)) {
			pages.push(page);
			if (pages.length === MAX_PAGES) break;
		}
		const records = pages.flatMap((page) => page.records);
		if (records.length > 0) note(probing, 'a record of a list');
		if (pages.length > 1) note(probing, 'the next page');
		const counts = { distinctCount: new Set(records.map(getId)).size, recordCount: records.length };
		const hasAll = isWholeList({ ...counts, total: pages[0].total });
		if (pages.at(-1)?.nextUrl === undefined) {
			const found = hasAll ? '' : `${counts.distinctCount} of ${pages[0].total} records`;
			note(probing, 'the whole list', found, hasAll);
		}
		return records;
	});
}

async function checkForm(
	probing: Probing,
	responses: IDataObject[],
	fieldRecords: IDataObject[],
): Promise<void> {
	if (fieldRecords.length > 0) checkFields(probing, fieldRecords);
	const [response] = responses;
	if (response === undefined) return;
	if (fieldRecords.length > 0) checkAnswers(probing, responses, fieldRecords);
	const { context } = probing;
	await attempt(probing, ['a PDF'], async () => {
		const ids = { responseId: getId(response) ?? '' };
		await fetchPdfLink(context, createTarget(context.account, endpoints.getPdf, ids));
	});
}

function checkFields(probing: Probing, fields: readonly IDataObject[]): void {
	const texts = fields.filter((field) => findFieldKind(field) === 'text');
	const types = showWords(texts.map(({ type }) => String(type))) || 'none';
	const unnamed = fields.filter(({ label, name }) => !label && !name).length;
	const found = `read as text: ${types}; ${unnamed} without a label`;
	note(probing, 'a field', found, unnamed === 0);
}

function checkAnswers(
	probing: Probing,
	responses: readonly IDataObject[],
	fieldRecords: readonly IDataObject[],
): void {
	const fields = parseFields(fieldRecords);
	const matched = responses.map((response) => matchAnswers(response, fields));
	const unread = matched.filter(({ problem }) => problem !== undefined).length;
	const answers = matched.flatMap((one) => one.answers);
	const foreign = answers.filter(({ field }) => field === undefined).length;
	const found = `${answers.length} answers, ${foreign} without a field; ${unread} of ${responses.length} responses are unreadable`;
	const isMatched = answers.length === 0 || foreign < answers.length;
	note(probing, 'the answers of a response', found, unread === 0 && isMatched);
}

/** Renders the rows for a terminal. */
export const renderRows = (rows: readonly Row[]): string =>
	rows
		.map(({ name, expected, status, found }) => {
			const wanted = status === 'not met' ? `\n          expected: ${expected}` : '';
			return `${status.padEnd(8)}  ${name}${wanted}${found ? `\n          found: ${found}` : ''}`;
		})
		.join('\n');
