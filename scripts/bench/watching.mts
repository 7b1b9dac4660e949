import type { IDataObject } from 'n8n-workflow';
import { locator, n8nFor, time } from '../../test/integration/harness.mts';
import { startService } from '../../test/service/index.mts';
import { count, median, megabytes } from './measure.mts';
import type { Table } from './page.mts';
import { countSentBytes } from './sentBytes.mts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Responses of each form, spread evenly over the day. */
const RESPONSES = 40;

type Outcome = { requests: number; bytes: number; refused: number; delays: number[] };

const minutes = (milliseconds: number) => `${(milliseconds / MINUTE_MS).toFixed(1)} min`;

/**
 * A day of one account that watches forms, in the tests' time and within the service's real limits.
 *
 * @param poll asks for the responses of a form, and gives the UUIDs of the new ones; none where it failed
 */
async function dayOf(
	forms: number,
	watch: (world: { url: string; token: string; form: string }) => () => Promise<string[]>,
): Promise<Outcome> {
	const service = await startService({
		seed: false,
		now: time.now,
		wait: time.holdBack,
		token: `watching-${forms}-${Math.random()}`,
	});
	const { store, url, token } = service;
	const sent = countSentBytes();
	const ids = Array.from(
		{ length: forms },
		(_, index) => store.addForm({ name: `Form ${index}`, fields: [{ label: 'Name' }] }).id,
	);
	const polls = ids.map((form) => watch({ url, token, form }));
	const submitted = new Map<string, number>();
	const delays: number[] = [];
	const start = time.now();
	let due = 0;
	for (let tick = 0; tick * MINUTE_MS < DAY_MS; tick++) {
		for (const poll of polls) {
			for (const uuid of await poll()) delays.push(time.now() - submitted.get(uuid)!);
		}
		const until = async (minute: number) =>
			await time.sleep(Math.max(0, start + minute * MINUTE_MS - time.now()));
		await until(tick + 0.5);
		const passed = ((tick + 1) * MINUTE_MS) / DAY_MS;
		for (; due < passed * RESPONSES - 0.5; due++) {
			for (const form of ids) submitted.set(store.addResponse(form, {}).uuid, time.now());
		}
		await until(tick + 1);
	}
	const refused = service.requests.filter(({ status }) => status === 429).length;
	sent.stop();
	await service.close();
	return { requests: service.requests.length, bytes: sent.to(), refused, delays };
}

/** This package's trigger, with n8n's tick of a minute. */
function trigger({ url, token, form }: { url: string; token: string; form: string }) {
	const n8n = n8nFor({ accessToken: token, baseUrl: url });
	let staticData: IDataObject = {};
	return async () => {
		const parameters = { formId: locator(form), events: ['responseCompleted'], simplify: true };
		const options = {
			workflowId: form,
			staticData,
			activation: Object.keys(staticData).length > 0 ? ('update' as const) : ('activate' as const),
			budgetMs: 36_000,
		};
		const result = await n8n.runPoll(parameters, options);
		staticData = JSON.parse(JSON.stringify(result.staticData)) as IDataObject;
		return (result.items ?? []).map(({ json }) => String(json.uuid));
	};
}

/** The usual advice: ask for the list each minute, and remove what was there before. */
function usualAdvice({ url, token, form }: { url: string; token: string; form: string }) {
	let known: Set<string> | undefined;
	return async () => {
		const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
		const reply = await fetch(`${url}/api/v1/responses/${form}`, { headers });
		const { data } = (await reply.json()) as { data?: Array<{ uuid: string }> };
		if (!reply.ok || data === undefined) return [];
		const uuids = data.map(({ uuid }) => uuid);
		const fresh = known === undefined ? [] : uuids.filter((uuid) => !known!.has(uuid));
		known = new Set(uuids);
		return fresh;
	};
}

/** A day of watching, beside the usual advice. */
export async function watching(): Promise<Table> {
	const rows: string[][] = [];
	for (const forms of [1, 5, 10]) {
		for (const [name, watch] of [
			['This trigger', trigger],
			['Usual advice', usualAdvice],
		] as const) {
			const { requests, bytes, refused, delays } = await dayOf(forms, watch);
			rows.push([
				`${forms}`,
				name,
				count(requests),
				megabytes(bytes),
				count(refused),
				`${delays.length} of ${RESPONSES * forms}`,
				delays.length > 0 ? minutes(median(delays)) : '–',
				delays.length > 0 ? minutes(Math.max(...delays)) : '–',
			]);
		}
	}
	return {
		title: 'A day of watching',
		text: `Each form gets ${RESPONSES} responses in a simulated day. n8n polls every minute; the service allows 60 requests a minute and 1,440 a day. The usual advice is a Schedule Trigger, an HTTP Request and Remove Duplicates for each form. The measurement sends the same requests as these three nodes and keeps the responses that are new. The delays leave out the last responses, which still wait for their poll.`,
		head: [
			'Forms',
			'',
			'Requests',
			'Bytes',
			'Refused',
			'Delivered',
			'Median delay',
			'Longest delay',
		],
		rows,
	};
}
