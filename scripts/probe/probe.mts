import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type * as parsing from '../../nodes/FormService/api/answers/fields.ts';
import type * as reading from '../../nodes/FormService/api/answers/fieldKinds.ts';
import type * as matching from '../../nodes/FormService/api/answers/matchAnswers.ts';
import type * as targets from '../../nodes/FormService/api/endpoints.ts';
import type * as identities from '../../nodes/FormService/api/records.ts';
import type * as lists from '../../nodes/FormService/api/replies/fetchPages.ts';
import type * as service from '../../nodes/FormService/api/service.ts';
import { builtFile } from '../../test/integration/n8n/built.mts';
import type { Connection } from './connect.mts';
import { explainError, REPORT, type Facts, type Report } from './report.mts';
import { describeAttributes, describePages, describePlace, describeReply } from './shapes.mts';
import { showType } from './words.mts';

const api = 'nodes/FormService/api';
const { parseFields } = builtFile<typeof parsing>(`${api}/answers/fields.js`);
const { findFieldKind, isBlank } = builtFile<typeof reading>(`${api}/answers/fieldKinds.js`);
const { matchAnswers } = builtFile<typeof matching>(`${api}/answers/matchAnswers.js`);
const { createTarget, endpoints } = builtFile<typeof targets>(`${api}/endpoints.js`);
const { getFormId, getId, isId } = builtFile<typeof identities>(`${api}/records.js`);
const { fetchPages } = builtFile<typeof lists>(`${api}/replies/fetchPages.js`);
const { getPdfLink, getWorkspace } = builtFile<typeof service>(`${api}/service.js`);

/** How many forms are asked for responses, and how many pages of a list are read. */
const MAX_FORMS = 3;
const MAX_PAGES = 2;

/** What is being found, and what cannot be read, by the sentences that say why. */
type Probing = Connection & {
	requests: Record<string, string>;
	sections: Record<string, Facts>;
	problems: Record<string, string[]>;
};

/** Does what sends requests to one endpoint, and notes them and their failure. */
async function ask<T>(
	{ context, requests, problems, replies }: Probing,
	what: string,
	{ endpoint, ids }: { endpoint: targets.Endpoint; ids?: Record<string, string> },
	work: (target: targets.Target) => Promise<T>,
): Promise<T | undefined> {
	const before = replies.length;
	try {
		return await work(createTarget(context.account, endpoint, ids));
	} catch (error) {
		(problems[explainError(error, replies.at(-1))] ??= []).push(what);
		return undefined;
	} finally {
		for (const [index, reply] of replies.entries())
			if (index >= before) requests[`${index + 1}. ${endpoint.url}`] = describeReply(reply);
	}
}

/** Reads the first pages of a list, and notes their shape. */
async function readList(
	probing: Probing,
	what: string,
	asked: { endpoint: targets.Endpoint; ids?: Record<string, string> },
): Promise<IDataObject[] | undefined> {
	const { context, replies, sections } = probing;
	const pages: lists.ListPage[] = [];
	const bodies: unknown[] = [];
	await ask(probing, `the list of ${what}s`, asked, async (target) => {
		for await (const page of fetchPages(context, target)) {
			pages.push(page);
			bodies.push(replies.at(-1)?.body);
			if (page.isLast || pages.length === MAX_PAGES) break;
		}
	});
	if (pages.length === 0) return undefined;
	const records = pages.flatMap((page) => page.records);
	const isList = (one: unknown) =>
		lodash.isObject(one) && lodash.isEqual(Object.values(one), pages[0].records);
	sections[`List of ${what}s`] = {
		'found in': describePlace(bodies[0], isList),
		records: `${records.length}${pages.at(-1)!.isLast ? '' : ', and more'}`,
		pages: describePages(pages[0]),
	};
	sections[`Attributes of a ${what}`] = describeAttributes(records);
	return records;
}

const listCounts = (names: readonly string[]) =>
	Object.entries(lodash.countBy(names)).map(([name, count]) => `${name} (${count})`);

/** By which of its names an answer names its field. */
function findNaming({ uuid, customKey, label, field }: matching.MatchedAnswer): string {
	if (uuid !== undefined) return 'UUID';
	const isKey = field?.customKey === label && field.label !== label;
	return customKey !== undefined || isKey ? 'custom key' : 'label';
}

/** How the answers of responses are read, and why not. */
function describeAnswers(
	responses: readonly IDataObject[],
	fieldRecords: readonly IDataObject[],
): { facts: Facts; problem?: string } {
	const fields = parseFields(fieldRecords);
	const matched = responses.map((record) => matchAnswers(record, fields));
	const all = matched.flatMap((one) => one.answers);
	const given = all.filter(({ value }) => !isBlank(value));
	const withField = given.filter(({ field }) => field !== undefined).length;
	const facts = {
		'named by': listCounts(all.map(findNaming)),
		'match a field': `${withField} of ${given.length} that are not empty`,
	};
	const unread = matched.filter(({ problem }) => problem !== undefined).length;
	if (unread > 0)
		return { facts, problem: `In ${unread} of ${responses.length} responses. ${REPORT}` };
	const isAlien = given.length > 0 && withField === 0;
	return { facts, problem: isAlien ? `None matches a field. ${REPORT}` : undefined };
}

/** Types that the package reads as text on purpose; its table of kinds has all others that it knows. */
const TEXTS =
	/^(text|textarea|string|email|phone|tel|url|short_?text|long_?text|paragraph|hidden)$/;

/** The types of fields by whether the package knows them. */
function describeTypes(fields: readonly IDataObject[]): Facts {
	const isKnown = ({ type }: IDataObject) =>
		findFieldKind({ type }) !== 'text' || TEXTS.test(String(type));
	const [known, others] = lodash.partition(fields, isKnown).map((some) => {
		return listCounts(some.map(({ type }) => showType(type)));
	});
	return { known, 'not known, read as text': others };
}

/** Where the link to the PDF of a response is. */
async function describePdf(probing: Probing, response: IDataObject): Promise<string> {
	const { context, replies } = probing;
	const responseId = getId(response);
	if (!isId(responseId)) return 'not asked: there is no response';
	const asked = { endpoint: endpoints.getPdf, ids: { responseId } };
	const link = await ask(probing, 'the link to a PDF', asked, async (target) => {
		return await getPdfLink(context, target);
	});
	const isLink = (one: unknown) =>
		typeof one === 'string' && URL.parse(one, context.account.baseUrl)?.href === link;
	return link === undefined ? 'not found' : describePlace(replies.at(-1)!.body, isLink);
}

/** Reads a form with its responses; says what is missing for a whole picture. */
async function readForms(probing: Probing): Promise<string | undefined> {
	const { problems, sections } = probing;
	const forms = await readList(probing, 'form', { endpoint: endpoints.listForms });
	if (forms === undefined) return undefined;
	const formIds = forms.map(getFormId).filter(isId).slice(0, MAX_FORMS);
	if (formIds.length === 0) return 'form';
	let responses: IDataObject[] | undefined;
	let ids = {};
	for (const formId of formIds) {
		ids = { formId };
		responses = await readList(probing, 'response', { endpoint: endpoints.listResponses, ids });
		if (responses?.length !== 0) break;
	}
	const fields = await readList(probing, 'field', { endpoint: endpoints.listFields, ids });
	const embedded = forms.flatMap((form) => form.fields ?? []).filter(lodash.isPlainObject);
	const described = embedded.length > 0 ? (embedded as IDataObject[]) : (fields ?? []);
	sections['Types of fields'] = describeTypes(described);
	const [response] = responses ?? [];
	if (fields === undefined || responses === undefined) return undefined;
	if (response === undefined) return 'response';
	const { facts, problem } = describeAnswers(responses, fields);
	if (problem !== undefined) problems[problem] = ['the answers'];
	sections.Answers = facts;
	sections['Link to a PDF'] = { 'found in': await describePdf(probing, response) };
	return undefined;
}

/** Reads a service with at most ten GET requests, and reports shapes. */
export async function probe(connection: Connection): Promise<Report> {
	const probing: Probing = { ...connection, requests: {}, sections: {}, problems: {} };
	const { context, requests, sections, problems } = probing;
	await ask(probing, 'the workspace', { endpoint: endpoints.getWorkspace }, async (target) => {
		await getWorkspace(context, target);
	});
	const missing = await readForms(probing).catch((error: unknown) => {
		problems[explainError(error)] = ['what was sent'];
		return undefined;
	});
	if (missing !== undefined)
		problems['Add one, and run the probe again.'] = [`no ${missing} is there`];
	const isAsDocumented = lodash.isEmpty(problems);
	const unknown = sections['Types of fields']?.['not known, read as text'] ?? [];
	const reasons = Object.entries(problems).map(([why, what]) => `${what.join(', ')}. ${why}`);
	const verdict = isAsDocumented
		? `Everything here is read as documented${unknown.length > 0 ? `; unknown types of fields are read as text. ${REPORT}` : '.'}`
		: `Not read as documented: ${reasons.join(' ')}`;
	return { verdict, isAsDocumented, sections: { 'Requests (GET)': requests, ...sections } };
}
