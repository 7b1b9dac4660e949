import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type * as parsing from '../../nodes/FormService/answers/fields.ts';
import type * as reading from '../../nodes/FormService/answers/fieldKinds.ts';
import type * as matching from '../../nodes/FormService/answers/matchAnswers.ts';
import type * as targets from '../../nodes/FormService/api/endpoints.ts';
import type * as identities from '../../nodes/FormService/api/records.ts';
import type * as lists from '../../nodes/FormService/api/replies/fetchPages.ts';
import type * as service from '../../nodes/FormService/api/service.ts';
import { builtFile } from '../../test/integration/n8n/built.mts';
import { MAX_REQUESTS, type Connection } from './connect.mts';
import { compareRecords, describeSettings, describeSorting } from './lists.mts';
import { countPatterns } from './patterns.mts';
import { explainError, REPORT, type Facts, type Report } from './report.mts';
import { describeAttributes, describePages, describePlace, describeReply } from './shapes.mts';
import { createTypeNames } from './words.mts';

const api = 'nodes/FormService/api';
const { parseFields } = builtFile<typeof parsing>(`${api}/answers/fields.js`);
const { findFieldKind, isBlank } = builtFile<typeof reading>(`${api}/answers/fieldKinds.js`);
const { matchAnswers } = builtFile<typeof matching>(`${api}/answers/matchAnswers.js`);
const { createTarget, endpoints } = builtFile<typeof targets>(`${api}/endpoints.js`);
const { getFormId, getId, isId } = builtFile<typeof identities>(`${api}/records.js`);
const { fetchPages } = builtFile<typeof lists>(`${api}/replies/fetchPages.js`);
const { fetchPdfLink, fetchWorkspace } = builtFile<typeof service>(`${api}/service.js`);

/** The most forms whose responses are read, and the maximum number of pages of a list. */
const MAX_FORMS = 3;
const MAX_PAGES = 2;

/** The findings so far, and the problems by the sentence that explains them. */
type Probing = Connection & {
	requests: Record<string, string>;
	sections: Record<string, Facts>;
	problems: Record<string, string[]>;
	/** Returns the printable type of a field. */
	showType: (type: unknown) => string;
};

/** The title of the questions that the specification leaves open. Each question takes one request. */
const QUESTIONS = 'Open questions';
const NOT_ASKED = `not asked: ${MAX_REQUESTS} requests were sent`;

/** Sends the requests to one endpoint, and records them and their failure. */
async function ask<T>(
	{ context, requests, problems, replies }: Probing,
	subject: string,
	{ endpoint, ids }: { endpoint: targets.Endpoint; ids?: Record<string, string> },
	work: (target: targets.Target) => Promise<T>,
): Promise<T | undefined> {
	const before = replies.length;
	try {
		return await work(createTarget(context.account, endpoint, ids));
	} catch (error) {
		(problems[explainError(error, replies.at(-1))] ??= []).push(subject);
		return undefined;
	} finally {
		for (const [index, reply] of replies.entries())
			if (index >= before) requests[`${index + 1}. ${endpoint.url}`] = describeReply(reply);
	}
}

/** Reads the first pages of a list, and records their shape. */
async function readList(
	probing: Probing,
	recordNoun: string,
	asked: { endpoint: targets.Endpoint; ids?: Record<string, string> },
): Promise<IDataObject[] | undefined> {
	const { context, replies, sections } = probing;
	const pages: lists.ListPage[] = [];
	const bodies: unknown[] = [];
	await ask(probing, `the list of ${recordNoun}s`, asked, async (target) => {
		for await (const page of fetchPages(context, target)) {
			pages.push(page);
			bodies.push(replies.at(-1)?.body);
			if (page.nextUrl === undefined || pages.length === MAX_PAGES) break;
		}
	});
	if (pages.length === 0) return undefined;
	const records = pages.flatMap((page) => page.records);
	const isList = (value: unknown) =>
		lodash.isObject(value) && lodash.isEqual(Object.values(value), pages[0].records);
	sections[`List of ${recordNoun}s`] = {
		'found in': describePlace(bodies[0], isList),
		records: `${records.length}${pages.at(-1)!.nextUrl === undefined ? '' : ', and more'}`,
		pages: describePages(pages[0]),
	};
	sections[`Attributes of a ${recordNoun}`] = describeAttributes(records);
	return records;
}

const listCounts = (names: readonly string[]) =>
	Object.entries(lodash.countBy(names)).map(([name, count]) => `${name} (${count})`);

/** Returns which name of its field an answer has: the UUID, the custom key or the label. */
function findNaming({ uuid, customKey, label, field }: matching.MatchedAnswer): string {
	if (uuid !== undefined) return 'UUID';
	const isKey = field?.customKey === label && field.label !== label;
	return customKey !== undefined || isKey ? 'custom key' : 'label';
}

/**
 * Describes how answers name their fields, their patterns by type of field, and the problem of unreadable
 * answers.
 */
function describeAnswers(
	responses: readonly IDataObject[],
	fieldRecords: readonly IDataObject[],
	showType: Probing['showType'],
): { facts: Facts; patterns: Facts; problem?: string } {
	const fields = parseFields(fieldRecords);
	const matched = responses.map((record) => matchAnswers(record, fields));
	const allAnswers = matched.flatMap(({ answers }) => answers);
	const nonEmptyAnswers = allAnswers.filter(({ value }) => !isBlank(value));
	const withField = nonEmptyAnswers.filter(({ field }) => field !== undefined);
	const facts = {
		'named by': listCounts(allAnswers.map(findNaming)),
		'match a field': `${withField.length} of ${nonEmptyAnswers.length} that are not empty`,
	};
	const findType = ({ field }: matching.MatchedAnswer) =>
		showType(fieldRecords[fields.indexOf(field!)]?.type);
	const patterns = lodash.mapValues(lodash.groupBy(withField, findType), (answers) =>
		countPatterns(answers.map(({ value }) => value)),
	);
	const unread = matched.filter(({ problem }) => problem !== undefined).length;
	if (unread > 0)
		return { facts, patterns, problem: `In ${unread} of ${responses.length} responses. ${REPORT}` };
	const isAlien = nonEmptyAnswers.length > 0 && withField.length === 0;
	return { facts, patterns, problem: isAlien ? `None matches a field. ${REPORT}` : undefined };
}

/** Matches types that the package reads as text on purpose. The package's field kinds have all other known types. */
const TEXTS =
	/^(text|textarea|string|email|phone|tel|url|short_?text|long_?text|paragraph|hidden)$/;

/** Describes the types of fields: the types that the package knows, and all others. */
function describeTypes(fields: readonly IDataObject[], showType: Probing['showType']): Facts {
	const isKnown = ({ type }: IDataObject) =>
		findFieldKind({ type }) !== 'text' || TEXTS.test(String(type));
	const [known, unknown] = lodash.partition(fields, isKnown).map((typeFields) => {
		return listCounts(typeFields.map(({ type }) => showType(type)));
	});
	return { known, 'not known, read as text': unknown };
}

/** Describes where a reply has the link to the PDF of a response. */
async function describePdf(probing: Probing, response: IDataObject): Promise<string> {
	const { context, replies } = probing;
	const responseId = getId(response);
	if (!isId(responseId)) return 'not asked: there is no response';
	const asked = { endpoint: endpoints.getPdf, ids: { responseId } };
	const link = await ask(probing, 'the link to a PDF', asked, async (target) => {
		return await fetchPdfLink(context, target);
	});
	const isLink = (value: unknown) =>
		typeof value === 'string' && URL.parse(value, context.account.baseUrl)?.href === link;
	return link === undefined ? 'not found' : describePlace(replies.at(-1)!.body, isLink);
}

/**
 * Compares the records of one more GET with a list, unless the probe has sent ten requests. An error is a
 * finding, too.
 */
async function askQuestion(
	{ context, replies }: Probing,
	listed: readonly IDataObject[],
	target: targets.Target,
): Promise<ReturnType<typeof compareRecords>> {
	if (replies.length >= MAX_REQUESTS) return { fact: NOT_ASKED, unlistedCount: 0 };
	try {
		const { value: page } = await fetchPages(context, target).next();
		const identify = (records: readonly IDataObject[]) => lodash.compact(records.map(getId));
		return compareRecords(identify(listed), identify(page?.records ?? []));
	} catch {
		return {
			fact: `cannot be read, status ${replies.at(-1)?.status ?? 'unknown'}`,
			unlistedCount: 0,
		};
	}
}

/** Requests a second page that no reply has announced. A list that is cut without a notice is incomplete. */
async function askForSecondPage(probing: Probing, responses: IDataObject[], formId: string) {
	const { context, problems, sections } = probing;
	if (sections['List of responses']?.pages !== 'none') return 'not asked: pages are announced';
	const target = createTarget(context.account, endpoints.listResponses, { formId }, { page: '2' });
	const { fact, unlistedCount } = await askQuestion(probing, responses, target);
	if (unlistedCount > 0)
		problems[`Page 2 has other records, and no reply announces it. ${REPORT}`] = [
			'the list of responses',
		];
	return fact;
}

/** Answers the questions that the specification leaves open, with at most three requests. */
async function askQuestions(
	probing: Probing,
	forms: readonly IDataObject[],
	{
		formId,
		responses,
		fields,
	}: { formId: string; responses: IDataObject[]; fields: IDataObject[] },
): Promise<Facts> {
	const { account } = probing.context;
	const complete = createTarget(
		account,
		endpoints.listResponses,
		{ formId },
		{ incomplete: 'false' },
	);
	const uuid = forms.find((form) => getFormId(form) === formId)?.uuid;
	const byUuid = isId(uuid) && uuid !== formId ? { formId: uuid } : undefined;
	const incomplete = responses.filter(({ is_incomplete: isIncomplete }) => Boolean(isIncomplete));
	return {
		'page 2 of the responses': await askForSecondPage(probing, responses, formId),
		'incomplete=false, where the list has incomplete responses': `${(await askQuestion(probing, responses, complete)).fact}, ${incomplete.length} of ${responses.length} are incomplete`,
		"a form's fields by its UUID": byUuid
			? (await askQuestion(probing, fields, createTarget(account, endpoints.listFields, byUuid)))
					.fact
			: 'not asked: the form has no UUID besides its ID',
	};
}

/** Reads a form with its responses; says what is missing for a whole picture. */
async function readForms(probing: Probing): Promise<string | undefined> {
	const { problems, sections, showType } = probing;
	const forms = await readList(probing, 'form', { endpoint: endpoints.listForms });
	if (forms === undefined) return undefined;
	sections['Settings in the record of a form'] = describeSettings(forms);
	const formIds = forms.map(getFormId).filter(isId).slice(0, MAX_FORMS);
	if (formIds.length === 0) return 'form';
	let responses: IDataObject[] | undefined;
	let formId = '';
	for (formId of formIds) {
		const asked = { endpoint: endpoints.listResponses, ids: { formId } };
		responses = await readList(probing, 'response', asked);
		if (responses?.length !== 0) break;
	}
	const fields = await readList(probing, 'field', {
		endpoint: endpoints.listFields,
		ids: { formId },
	});
	const embedded = forms.flatMap((form) => form.fields ?? []).filter(lodash.isPlainObject);
	const described = embedded.length > 0 ? (embedded as IDataObject[]) : (fields ?? []);
	sections['Types of fields'] = describeTypes(described, showType);
	const [response] = responses ?? [];
	if (fields === undefined || responses === undefined) return undefined;
	if (response === undefined) return 'response';
	const { facts, patterns, problem } = describeAnswers(responses, fields, showType);
	if (problem !== undefined) problems[problem] = ['the answers'];
	sections.Answers = facts;
	sections['Answers by type of field (words are a, digits 9)'] = patterns;
	sections['Order of the responses'] = describeSorting(responses);
	sections['Link to a PDF'] = { 'found in': await describePdf(probing, response) };
	sections[QUESTIONS] = await askQuestions(probing, forms, { formId, responses, fields });
	return undefined;
}

/** Probes a service with at most ten GET requests. Reports only shapes. */
export async function probe(connection: Connection): Promise<Report> {
	const { account } = connection.context;
	const probing: Probing = {
		...connection,
		requests: {},
		sections: {},
		problems: {},
		showType: createTypeNames(connection.replies, [account.baseUrl, connection.token]),
	};
	const { context, requests, sections, problems } = probing;
	await ask(probing, 'the workspace', { endpoint: endpoints.getWorkspace }, async (target) => {
		await fetchWorkspace(context, target);
	});
	const missing = await readForms(probing).catch((error: unknown) => {
		problems[explainError(error)] = ['what was sent'];
		return undefined;
	});
	if (missing !== undefined)
		problems['Add one, and run the probe again.'] = [`no ${missing} is there`];
	const isAsDocumented = lodash.isEmpty(problems);
	const unknown = sections['Types of fields']?.['not known, read as text'] ?? [];
	const reasons = Object.entries(problems).map(
		([reason, subjects]) => `${subjects.join(', ')}. ${reason}`,
	);
	const verdict = isAsDocumented
		? `Everything here is read as documented${unknown.length > 0 ? `; unknown types of fields are read as text. ${REPORT}` : '.'}`
		: `Not read as documented: ${reasons.join(' ')}`;
	return { verdict, isAsDocumented, sections: { 'Requests (GET)': requests, ...sections } };
}
