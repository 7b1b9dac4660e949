import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type * as targets from '../../nodes/FormService/api/endpoints.ts';
import type { Endpoint } from '../../nodes/FormService/api/endpoints.ts';
import type * as identities from '../../nodes/FormService/api/records.ts';
import type * as lists from '../../nodes/FormService/api/replies/list.ts';
import type { ListPage } from '../../nodes/FormService/api/replies/list.ts';
import type * as service from '../../nodes/FormService/api/service.ts';
import { builtFile } from '../../test/integration/n8n/built.mts';
import { describeAnswers, describeTypes } from './answers.mts';
import { MAX_REQUESTS, type Connection, type Reply } from './connect.mts';
import { describeProblems, explainError, type Problem } from './problems.mts';
import type { Fact, Report, Section } from './report.mts';
import {
	describeAttributes,
	describeReply,
	describeListPlace,
	describeOrder,
	describePaging,
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

/** What some of the requests are for; a failure is noted. */
async function attempt<T>(
	{ problems, replies }: Probing,
	what: string,
	work: () => Promise<T>,
): Promise<T | undefined> {
	try {
		return await work();
	} catch (error) {
		problems.push(explainError(what, error, replies.at(-1)));
		return undefined;
	}
}

/** Reads the first pages of a list, and notes their shape. */
async function readList(
	probing: Probing,
	what: string,
	endpoint: Endpoint,
	ids?: Record<string, string>,
): Promise<IDataObject[] | undefined> {
	const { context, replies } = probing;
	const read: Array<{ page: ListPage; reply: Reply }> = [];
	await attempt(probing, `the list of ${what}s`, async () => {
		const target = createTarget(context.account, endpoint, ids);
		for await (const page of readPages(context, target)) {
			read.push({ page, reply: replies.at(-1)! });
			if (page.isLast || read.length === MAX_PAGES) break;
		}
	});
	if (read.length === 0) return undefined;
	const records = read.flatMap(({ page }) => page.records);
	const [{ page, reply }] = read;
	const more = read.at(-1)!.page.isLast ? '' : ` on the first pages (${read.length} read)`;
	const facts = {
		'found in': describeListPlace(page, reply),
		records: `${records.length}${more}`,
		pages: describePaging(page, reply),
		order: describeOrder(records),
	};
	probing.sections.push({ title: `List of ${what}s`, facts });
	if (records.length > 0) {
		const title = `Attributes of a ${what}`;
		probing.sections.push({ title, facts: describeAttributes(records) });
	}
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
async function describePdf(probing: Probing, response?: IDataObject): Promise<string> {
	const { context, replies } = probing;
	const responseId = response && getId(response);
	if (!isId(responseId)) return 'no response to ask for';
	const target = createTarget(context.account, endpoints.getPdf, { responseId });
	const ask = async () => await getPdfLink(context, target);
	const link = await attempt(probing, 'the link to a PDF', ask);
	if (link === undefined) return 'not found';
	const { baseUrl } = context.account;
	return describePlace(replies.at(-1)!.body, (one) => {
		return typeof one === 'string' && URL.parse(one, baseUrl)?.href === link;
	});
}

/** What the service replies to an ID that no form has. */
async function describeUnknownForm({ context, replies }: Probing): Promise<string> {
	if (replies.length === MAX_REQUESTS) return 'not asked: ten requests were sent';
	const target = createTarget(context.account, endpoints.listFields, { formId: UNKNOWN_FORM });
	const asked = readPages(context, target).next();
	await asked.catch(() => {});
	const reply = replies.at(-1)!;
	reply.path = '/forms/{unknown}/fields';
	return describeReply(reply);
}

/** Reads a service with at most ten GET requests, and reports shapes. */
export async function probe(connection: Connection, options: ProbeOptions = {}): Promise<Report> {
	const problems: Problem[] = [];
	const sections: Section[] = [];
	const probing: Probing = { ...connection, problems, sections };
	const { context, replies } = probing;
	const workspace = createTarget(context.account, endpoints.getWorkspace);
	await attempt(probing, 'the workspace', async () => await getWorkspace(context, workspace));
	const missing = await attempt(probing, 'what was read', async () => {
		const forms = await readList(probing, 'form', endpoints.listForms);
		return forms && (await probeForms(probing, forms, options));
	});
	const requests = replies.map((reply, index) => {
		const path = `${index + 1}. GET ${reply.path}${reply.isLaterPage ? '?…' : ''}`;
		return [path, describeReply(reply)];
	});
	sections.unshift({ title: 'Requests', facts: Object.fromEntries(requests) });
	const isAsDocumented = problems.length === 0 && missing === undefined;
	return { isAsDocumented, verdict: describeVerdict(problems, missing), sections };
}

/** Probes all that belongs to a form; returns what is missing for that. */
async function probeForms(
	probing: Probing,
	forms: readonly IDataObject[],
	{ formId: chosen, pdf }: ProbeOptions,
): Promise<string | undefined> {
	const { problems, sections, replies } = probing;
	const ids = chosen === undefined ? forms.map(getFormId).filter(isId) : [chosen];
	const found = await findResponses(probing, ids.slice(0, MAX_FORMS));
	if (found === undefined) return 'form';
	const { formId, responses = [] } = found;
	const fields = await readList(probing, 'field', endpoints.listFields, { formId });
	const embedded = forms.flatMap(({ fields: own }) => own ?? []).filter(lodash.isPlainObject);
	sections.push(describeTypes(embedded.length > 0 ? (embedded as IDataObject[]) : (fields ?? [])));
	if (fields !== undefined && responses.length > 0) {
		const answers = describeAnswers(responses, fields);
		sections.push(answers.section);
		problems.push(...answers.problems);
	}
	const incomplete = responses.filter((one) => one.is_incomplete === true).length;
	const refused = replies.find(({ status }) => status === 429);
	const facts: Record<string, Fact> = {
		'lists and records (2, 4)': 'see above',
		'incomplete responses (2.4)': `${incomplete} of ${responses.length}`,
		'link to a PDF (4)': pdf ? await describePdf(probing, responses[0]) : 'not asked: add --pdf',
		'added response (4)': 'not asked: it takes a POST request',
		'unknown form (7)': await describeUnknownForm(probing),
		'exceeded limit (8)': refused ? describeReply(refused) : 'not met',
		'tokens, events, versions': 'no request shows them (5, 6, 9)',
	};
	sections.push({ title: 'What the specification leaves open (its sections)', facts });
	return found.responses?.length === 0 ? 'response' : undefined;
}

function describeVerdict(problems: readonly Problem[], missing?: string): string {
	if (problems.length > 0) return describeProblems(problems);
	if (missing === undefined) return 'Everything here is read as documented.';
	return `What is here is read as documented, but there is no ${missing}: add one, or choose a form with --form, and run the probe again.`;
}
