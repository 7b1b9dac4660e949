import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type * as parsing from '../../nodes/FormService/answers/fields.ts';
import type * as kinds from '../../nodes/FormService/answers/fieldKinds.ts';
import type * as matching from '../../nodes/FormService/answers/matchAnswers.ts';
import type * as targets from '../../nodes/FormService/api/endpoints.ts';
import type * as identities from '../../nodes/FormService/api/records.ts';
import type * as lists from '../../nodes/FormService/api/replies/fetchPages.ts';
import type * as service from '../../nodes/FormService/api/service.ts';
import { builtFile } from '../../test/integration/n8n/built.mts';
import { MAX_REQUESTS, type Connection, type Reply } from './connect.mts';
import type * as values from '../../nodes/FormService/api/values.ts';
import { describeShape, showWords } from './describe.mts';

const folder = 'nodes/FormService';
const { parseFields } = builtFile<typeof parsing>(`${folder}/answers/fields.js`);
const { findFieldKind } = builtFile<typeof kinds>(`${folder}/answers/fieldKinds.js`);
const { isBlank } = builtFile<typeof values>(`${folder}/api/values.js`);
const { matchAnswers } = builtFile<typeof matching>(`${folder}/answers/matchAnswers.js`);
const { createTarget, endpoints } = builtFile<typeof targets>(`${folder}/api/endpoints.js`);
const { getFormId, getId, isId } = builtFile<typeof identities>(`${folder}/api/records.js`);
const { fetchPages } = builtFile<typeof lists>(`${folder}/api/replies/fetchPages.js`);
const { fetchPdfLink, fetchWorkspace } = builtFile<typeof service>(`${folder}/api/service.js`);

/** The rows of docs/contract.md, and what each expects. */
const CONTRACT = {
	'the workspace': 'a record with a name',
	'the list of forms': 'a list of records with an ID',
	'the list of responses': 'a list of records with an ID',
	'the list of fields': 'a list of records with an ID',
	'the next page': 'a next page that the reply announces',
	'the whole list': 'no more records than the pages that are announced',
	'the times': 'created_at as an ISO time in UTC',
	'the answers of a response': 'a list of {key, value}, or an object by label or UUID',
	'the values of answers': 'texts, numbers, booleans, null, or lists of these',
	'the types of fields': 'types of the table; any other type is read as text',
	'a PDF': 'pdf_url or url',
	'an added response': 'a reply with the ID; the probe adds nothing',
} as const;

type RowName = keyof typeof CONTRACT;

export type Row = {
	name: RowName;
	expected: string;
	status: 'met' | 'not met' | 'not seen';
	/** Names and types of what was found; never values. */
	found: string;
};

/** Rows that a service can lack. */
const OPTIONAL: readonly RowName[] = ['the next page', 'the whole list', 'an added response'];

/** Whether a service fits the contract, as far as the probe can see. */
export const isFit = (rows: readonly Row[]): boolean =>
	rows.every(
		({ name, status }) => status === 'met' || (status === 'not seen' && OPTIONAL.includes(name)),
	);

/** The most forms that are searched for a response, and the most pages of a list. */
const MAX_FORMS = 3;
const MAX_PAGES = 2;

type Probing = Connection & { findings: Map<RowName, Pick<Row, 'status' | 'found'>> };

/** Probes a service with at most ten GET requests, and compares its replies with the contract. */
export async function probe(connection: Connection): Promise<Row[]> {
	const probing: Probing = { ...connection, findings: new Map() };
	const { context, findings } = probing;
	await check(probing, 'the workspace', async () => {
		await fetchWorkspace(context, createTarget(context.account, endpoints.getWorkspace));
	});
	await checkForms(probing);
	return (Object.keys(CONTRACT) as RowName[]).map((name) => {
		const { status, found } = findings.get(name) ?? { status: 'not seen', found: '' };
		return { name, expected: CONTRACT[name], status, found };
	});
}

/** Reads what a row is about. The package's own error decides that the row is not met. */
async function check<T>(
	{ findings, replies }: Probing,
	name: RowName,
	read: () => Promise<T>,
): Promise<T | undefined> {
	try {
		const value = await read();
		findings.set(name, { status: 'met', found: '' });
		return value;
	} catch (error) {
		const advice = findAdvice(error, replies.at(-1));
		findings.set(name, { status: 'not met', found: `${describeReply(replies.at(-1))}. ${advice}` });
		return undefined;
	}
}

const REPORT = 'Report this output as an issue of n8n-nodes-formservice.';

/** Advice by n8n's cause of an error, or by the status of the reply. */
const ADVICE: Readonly<Record<string, string>> = {
	'credential-invalid': 'Check the address and the access token.',
	'temporarily-unavailable': 'Check the address, or try again later.',
	'rate-limited': 'Try again in a minute.',
	'quota-exhausted': 'Try again tomorrow.',
	403: 'Check what the token may read.',
	404: 'Check the address.',
};

function findAdvice(error: unknown, reply?: Reply): string {
	const { failure } = error as { failure?: { cause: string } };
	const isWebPage = reply?.status !== undefined && reply.body === undefined;
	const otherwise = isWebPage ? 'Check the address.' : REPORT;
	return ADVICE[failure?.cause ?? ''] ?? ADVICE[reply?.status ?? ''] ?? otherwise;
}

function describeReply(reply: Reply | undefined): string {
	if (reply?.status === undefined) return 'no reply';
	const shape = reply.body === undefined ? 'no JSON' : describeShape(reply.body);
	return `status ${reply.status}, ${shape}`;
}

/** Reads the forms, and the first form that has responses. */
async function checkForms(probing: Probing): Promise<void> {
	const forms = await checkList(probing, 'the list of forms', endpoints.listForms);
	const formIds = (forms ?? []).map(getFormId).filter(isId).slice(0, MAX_FORMS);
	let responses: IDataObject[] | undefined;
	let formId = '';
	for (formId of formIds) {
		responses = await checkList(probing, 'the list of responses', endpoints.listResponses, formId);
		if (responses?.length !== 0) break;
	}
	if (formId === '') return;
	const fields = await checkList(probing, 'the list of fields', endpoints.listFields, formId);
	if (fields !== undefined) checkTypes(probing, fields);
	if (responses === undefined || responses.length === 0) {
		if (responses !== undefined) probing.findings.delete('the list of responses');
		return;
	}
	checkTimes(probing, responses);
	if (fields !== undefined) checkAnswers(probing, responses, fields);
	await checkPdf(probing, responses[0]);
	await checkWholeList(probing, responses, formId);
}

/** Reads the first pages of a list. */
async function checkList(
	probing: Probing,
	name: RowName,
	endpoint: targets.Endpoint,
	formId?: string,
): Promise<IDataObject[] | undefined> {
	const { context, findings } = probing;
	return await check(probing, name, async () => {
		const ids: Record<string, string> = formId === undefined ? {} : { formId };
		const target = createTarget(context.account, endpoint, ids);
		const pages: lists.ListPage[] = [];
		for await (const page of fetchPages(context, target)) {
			pages.push(page);
			if (pages.length === MAX_PAGES) break;
		}
		if (pages.length > 1)
			findings.set('the next page', { status: 'met', found: `${name} has more pages` });
		return pages.flatMap(({ records }) => records);
	});
}

function checkTypes({ findings }: Probing, fields: readonly IDataObject[]): void {
	const [texts, known] = lodash.partition(fields, (field) => findFieldKind(field) === 'text');
	const show = (records: IDataObject[]) => showWords(records.map(({ type }) => String(type)));
	const found = `${show(known) || 'none'}; read as text: ${show(texts) || 'none'}`;
	findings.set('the types of fields', { status: 'met', found });
}

function checkTimes({ findings }: Probing, responses: readonly IDataObject[]): void {
	const isTime = ({ created_at: time }: IDataObject) =>
		/^\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:?00)$/.test(String(time));
	const others = responses.filter((response) => !isTime(response));
	const types = others.map(({ created_at: time }) => describeShape(time));
	findings.set('the times', {
		status: others.length === 0 ? 'met' : 'not met',
		found:
			others.length === 0 ? '' : `${others.length} of ${responses.length}: ${showWords(types)}`,
	});
}

/** Whether a value is one that the contract has. */
const isPlain = (value: unknown): boolean =>
	Array.isArray(value) ? value.every((entry) => !lodash.isObject(entry)) : !lodash.isObject(value);

function checkAnswers(
	{ findings }: Probing,
	responses: readonly IDataObject[],
	fieldRecords: readonly IDataObject[],
): void {
	const fields = parseFields(fieldRecords);
	const matched = responses.map((response) => matchAnswers(response, fields));
	const unread = matched.filter(({ problem }) => problem !== undefined).length;
	const given = matched.flatMap(({ answers }) => answers).filter(({ value }) => !isBlank(value));
	const foreign = given.filter(({ field }) => field === undefined).length;
	const strange = given.filter(({ value }) => !isPlain(value));
	findings.set('the answers of a response', {
		status: unread > 0 || (given.length > 0 && foreign === given.length) ? 'not met' : 'met',
		found: `${given.length} answers, ${foreign} without a field; ${unread} of ${responses.length} responses are unreadable`,
	});
	findings.set('the values of answers', {
		status: strange.length > 0 ? 'not met' : 'met',
		found: lodash.uniq(strange.map(({ value }) => describeShape(value, 0))).join('; '),
	});
}

async function checkPdf(probing: Probing, response: IDataObject): Promise<void> {
	const { context } = probing;
	const responseId = getId(response) ?? '';
	await check(probing, 'a PDF', async () => {
		await fetchPdfLink(context, createTarget(context.account, endpoints.getPdf, { responseId }));
	});
}

/** Asks for a second page that no reply has announced: a list that is cut without a word is a short list. */
async function checkWholeList(
	{ context, findings, replies }: Probing,
	responses: readonly IDataObject[],
	formId: string,
): Promise<void> {
	if (findings.has('the next page') || replies.length >= MAX_REQUESTS) return;
	const { account } = context;
	const target = createTarget(account, endpoints.listResponses, { formId }, { page: '2' });
	const page = await fetchPages(context, target)
		.next()
		.catch(() => undefined);
	const found = lodash.difference((page?.value?.records ?? []).map(getId), responses.map(getId));
	findings.set('the whole list', {
		status: found.length === 0 ? 'met' : 'not met',
		found: found.length === 0 ? '' : `page 2 has ${found.length} other records. ${REPORT}`,
	});
}

/** Renders the rows for a terminal. */
export const renderRows = (rows: readonly Row[]): string =>
	rows
		.map(({ name, expected, status, found }) => {
			const wanted = status === 'met' ? '' : `\n          expected: ${expected}`;
			return `${status.padEnd(8)}  ${name}${wanted}${found ? `\n          found: ${found}` : ''}`;
		})
		.join('\n');
