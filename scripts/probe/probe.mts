import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type * as targets from '../../nodes/FormService/api/endpoints.ts';
import type { Endpoint, Target } from '../../nodes/FormService/api/endpoints.ts';
import type * as identities from '../../nodes/FormService/api/records.ts';
import type * as lists from '../../nodes/FormService/api/replies/list.ts';
import type { ListPage } from '../../nodes/FormService/api/replies/list.ts';
import type * as service from '../../nodes/FormService/api/service.ts';
import { builtFile } from '../../test/integration/n8n/built.mts';
import { describeAnswers, describeTypes } from './answers.mts';
import { MAX_REQUESTS, type Connection, type Reply } from './connect.mts';
import { describeProblems, explainError, REPORT, type Problem } from './problems.mts';
import type { Report, Section } from './report.mts';
import {
	describeAttributes,
	describeReply,
	describeList,
	describeOrder,
	describePlace,
} from './shapes.mts';

const api = 'nodes/FormService/api';
const { createTarget, endpoints } = builtFile<typeof targets>(`${api}/endpoints.js`);
const { getFormId, getId, isId } = builtFile<typeof identities>(`${api}/records.js`);
const { readPages } = builtFile<typeof lists>(`${api}/replies/list.js`);
const { getPdfLink, getWorkspace } = builtFile<typeof service>(`${api}/service.js`);

export type ProbeOptions = { formId?: string; pdf?: boolean };

/** How many forms are asked for responses, and how many pages of a list are read. */
const MAX_FORMS = 3;
const MAX_PAGES = 2;

/** An ID that no form has: the specification does not show what follows (section 7). */
const UNKNOWN_FORM = 'probe-unknown-form';

type Probing = Connection & { problems: Problem[]; sections: Section[] };

/** Does what sends requests to one endpoint, and notes a failure. */
async function ask<T>(
	{ context, problems, replies }: Probing,
	what: string,
	endpoint: Endpoint,
	ids: Record<string, string>,
	work: (target: Target) => Promise<T>,
): Promise<T | undefined> {
	const before = replies.length;
	try {
		return await work(createTarget(context.account, endpoint, ids));
	} catch (error) {
		problems.push(explainError(what, error, replies[replies.length - 1]));
		return undefined;
	} finally {
		const { url: path } = endpoint;
		for (const [index, reply] of replies.slice(before).entries())
			reply.path = index === 0 ? path : `${path}?…`;
	}
}

/** Reads the first pages of a list, and notes their shape. */
async function readList(
	probing: Probing,
	what: string,
	endpoint: Endpoint,
	ids: Record<string, string> = {},
): Promise<IDataObject[] | undefined> {
	const { context, replies, sections } = probing;
	const pages: ListPage[] = [];
	let first: Reply | undefined;
	await ask(probing, `the list of ${what}s`, endpoint, ids, async (target) => {
		for await (const page of readPages(context, target)) {
			pages.push(page);
			first ??= replies.at(-1);
			if (page.isLast || pages.length === MAX_PAGES) break;
		}
	});
	if (first === undefined) return undefined;
	const records = pages.flatMap((page) => page.records);
	const more = pages.at(-1)!.isLast ? '' : `, and more after page ${pages.length}`;
	const found = { ...describeList(pages[0], first), records: `${records.length}${more}` };
	sections.push({ title: `List of ${what}s`, facts: { ...found, order: describeOrder(records) } });
	const attributes = describeAttributes(records);
	if (records.length > 0) sections.push({ title: `Attributes of a ${what}`, facts: attributes });
	return records;
}

/** The chosen form, else the first of a few that has responses, with its responses. */
async function findResponses(probing: Probing, ids: readonly string[]) {
	for (const [index, formId] of ids.entries()) {
		const isLast = index === ids.length - 1;
		const before = probing.sections.length;
		const responses = await readList(probing, 'response', endpoints.listResponses, { formId });
		if (responses?.length !== 0 || isLast) return { formId, responses };
		probing.sections.length = before;
	}
	return undefined;
}

/** Where the link to the PDF of a response is. */
async function describePdf(probing: Probing, response: IDataObject = {}): Promise<string> {
	const { context, replies } = probing;
	const responseId = getId(response);
	if (!isId(responseId)) return 'no response to ask for';
	const what = 'the link to a PDF';
	const link = await ask(probing, what, endpoints.getPdf, { responseId }, async (target) => {
		return await getPdfLink(context, target);
	});
	const isLink = (one: unknown) =>
		typeof one === 'string' && URL.parse(one, context.account.baseUrl)?.href === link;
	return link === undefined ? 'not found' : describePlace(replies.at(-1)!.body, isLink);
}

/** What the service replies to an ID that no form has; that is no problem. */
async function describeUnknownForm(probing: Probing): Promise<string> {
	const { context, replies } = probing;
	if (replies.length === MAX_REQUESTS) return 'not asked: ten requests were sent';
	const ids = { formId: UNKNOWN_FORM };
	await ask({ ...probing, problems: [] }, '', endpoints.listFields, ids, async (target) => {
		await readPages(context, target).next();
	});
	const reply = replies.at(-1)!;
	reply.path = '/forms/{unknown}/fields';
	return describeReply(reply);
}

/** Reads a service with at most ten GET requests, and reports shapes. */
export async function probe(connection: Connection, options: ProbeOptions = {}): Promise<Report> {
	const probing: Probing = { ...connection, problems: [], sections: [] };
	const { context, replies, problems, sections } = probing;
	await ask(probing, 'the workspace', endpoints.getWorkspace, {}, async (target) => {
		await getWorkspace(context, target);
	});
	const outcome = await readForms(probing, options).catch((error: unknown) => {
		problems.push(explainError('what was read', error));
	});
	const requests = replies.map((reply, index) => {
		return [`${index + 1}. ${reply.path}`, describeReply(reply)];
	});
	sections.unshift({ title: 'Requests (GET)', facts: Object.fromEntries(requests) });
	const isAsDocumented = problems.length === 0 && !outcome?.missing;
	const verdict = problems.length > 0 ? describeProblems(problems) : describeVerdict(outcome);
	return { isAsDocumented, verdict, sections };
}

/** What can be said only if there is no problem. */
type Outcome = { missing?: 'form' | 'response'; hasUnknownTypes?: boolean } | void;

/** Reads all that belongs to forms. */
async function readForms(
	probing: Probing,
	{ formId: chosen, pdf }: ProbeOptions,
): Promise<Outcome> {
	const { problems, sections, replies } = probing;
	const forms = await readList(probing, 'form', endpoints.listForms);
	if (forms === undefined) return undefined;
	const ids = chosen === undefined ? forms.map(getFormId).filter(isId) : [chosen];
	const found = await findResponses(probing, ids.slice(0, MAX_FORMS));
	if (found === undefined) return { missing: 'form' };
	const { formId, responses = [] } = found;
	const fields = await readList(probing, 'field', endpoints.listFields, { formId });
	const embedded = forms.flatMap(({ fields: own }) => own ?? []).filter(lodash.isPlainObject);
	const types = describeTypes(embedded.length > 0 ? (embedded as IDataObject[]) : (fields ?? []));
	sections.push(types.section);
	if (fields !== undefined && responses.length > 0) {
		const answers = describeAnswers(responses, fields);
		sections.push(answers.section);
		problems.push(...answers.problems);
	}
	const incomplete = responses.filter((one) => one.is_incomplete === true).length;
	const refused = replies.find(({ status }) => status === 429);
	const facts = {
		'lists and records (2, 4)': 'see above',
		'incomplete responses (2.4)': `${incomplete} of ${responses.length}`,
		'link to a PDF (4)': pdf ? await describePdf(probing, responses[0]) : 'not asked: add --pdf',
		'added response (4)': 'not asked: it takes a POST request',
		'unknown form (7)': await describeUnknownForm(probing),
		'exceeded limit (8)': refused ? describeReply(refused) : 'not met',
		'tokens, events, versions': 'no request shows them (5, 6, 9)',
	};
	sections.push({ title: 'What the specification leaves open (its sections)', facts });
	if (found.responses?.length === 0) return { missing: 'response' };
	return { hasUnknownTypes: types.hasUnknown };
}

function describeVerdict(outcome: Outcome): string {
	const { missing, hasUnknownTypes } = outcome ?? {};
	if (missing !== undefined)
		return `What is here is read as documented, but there is no ${missing}: add one, or choose a form with --form, and run the probe again.`;
	return hasUnknownTypes
		? `Everything here is read as documented; types of fields that are not known are read as text. ${REPORT}`
		: 'Everything here is read as documented.';
}
