import { setTimeout as sleep } from 'node:timers/promises';
import { executionReader, N8n } from '../../../scripts/lib/n8n/instance.mts';
import { packedPackage } from '../../../scripts/lib/packedPackage.mts';
import { temporaryFolder } from '../../../scripts/lib/paths.mts';
import type { Service } from '../../service/index.mts';
import { saveAccount, startUnlimited } from '../instance.mts';
import { explain, type Finding, type Kill } from './betweenWrites.mts';
import { deliveriesIn, keepDatabase, readSqlite, sqliteFile } from './database.mts';
import { failAThird } from './failing.mts';
import { settle, unexpectedIn } from './ledger.mts';
import {
	looks,
	randomNumbers,
	responsesOf,
	submitAll,
	TRIGGER,
	triggerWorkflow,
	until,
} from './submissions.mts';

export type Plan = {
	/** the newest n8n when not given */
	line?: string;
	/** n8n's settings of the mode that is tried */
	env: Record<string, string>;
	/** how many forms there are; the trigger watches the one, or all */
	forms: number;
	submissions: number;
	/** the submissions are spread over this time */
	durationMs: number;
	/** how often n8n is killed and started again meanwhile */
	kills: number;
	/**
	 * Whether n8n saves the trigger's state and the execution in one. Then no kill is an excuse, and
	 * every other one is aimed at a look, in which n8n has the most to lose.
	 */
	atomic: boolean;
	/** fewer requests than these would be no proof: a failing service is asked less and less */
	atLeastRequests: number;
	seed: number;
};

export type Outcome = {
	seed: number;
	seconds: number;
	submitted: number;
	requests: number;
	failedRequests: number;
	kills: number;
	/** number of n8n's recorded executions by their status */
	executions: Record<string, number>;
	/** different responses in the executions, whether or not they were submitted */
	delivered: number;
	findings: Finding[];
};

const DRAIN_TIMEOUT_MS = 600_000;
const LOOK_WITHIN_MS = 20_000;
/** Where a kill falls after a look has begun, at the most. */
const IN_A_LOOK_MS = 300;

/** How long before a kill n8n's database is read: its two writes are milliseconds apart. */
const BEFORE_A_KILL_MS = 3_000;

const UNEXPECTED = { what: 'unexpected', proof: 'it was not submitted in this run' } as const;

/**
 * Submits responses through the form's page while the service fails and n8n is killed, waits until what
 * can arrive has arrived, and reads from n8n's database what did.
 */
export async function deliver(plan: Plan): Promise<Outcome> {
	await using cleanup = new AsyncDisposableStack();
	const folder = await temporaryFolder('n8n-delivery', cleanup);
	const service = await startUnlimited(cleanup, { seed: false });
	const formIds = addForms(service, plan.forms);
	const n8n = new N8n({
		line: plan.line,
		folder,
		tarball: await packedPackage(),
		env: { EXECUTIONS_DATA_PRUNE: 'false', ...plan.env },
	});
	cleanup.defer(async () => await n8n.stop());

	await n8n.start();
	const workflowId = await activate(n8n, service, formIds);
	const random = randomNumbers(plan.seed);
	const start = Date.now();
	const submitting = submitAll(service, { ...plan, formIds }, random);
	// with durable cursors n8n drops what the activation learned: a kill before the first tick begins anew
	await looked(service, 2 * plan.forms);
	const earlier = service.requests.length;
	const failed = failAThird(service.faults, random);
	const kills = await killRepeatedly({ n8n, service, folder, workflowId, plan, random });
	await submitting;
	const requests = service.requests.length - earlier;
	const failedRequests = failed();
	service.faults.clear();

	const submitted = formIds.flatMap((id) => responsesOf(service, id));
	const parse = await executionReader(plan.line);
	const read = readSqlite(sqliteFile(folder));
	const isComplete = async () =>
		settle(submitted, deliveriesIn(await read(workflowId), TRIGGER, parse)).lost.length === 0;
	await drained(service, plan.forms, isComplete);
	await n8n.stop();

	const stored = await read(workflowId);
	const statuses = Map.groupBy(stored.executions, ({ status }) => status);
	const deliveries = deliveriesIn(stored, TRIGGER, parse);
	return {
		seed: plan.seed,
		seconds: Math.round((Date.now() - start) / 1000),
		submitted: submitted.length,
		requests,
		failedRequests,
		kills: kills.length,
		executions: Object.fromEntries([...statuses].map(([status, list]) => [status, list.length])),
		delivered: new Set(deliveries.map(({ uuid }) => uuid)).size,
		findings: [
			...explain(settle(submitted, deliveries), kills, TRIGGER, parse),
			...unexpectedIn(submitted, deliveries).map((uuid) => ({ uuid, ...UNEXPECTED })),
		],
	};
}

/** Forms as `submitAll` fills them in, and nothing in them yet. */
function addForms({ store }: Service, count: number): string[] {
	const fields = ['Name', 'Email', 'Message'].map((label) => ({ label }));
	return Array.from(
		{ length: count },
		(_, index) => store.addForm({ name: `Form ${index + 1}`, fields }).id,
	);
}

/** Creates the credential and the workflow, and waits for the first look, which is the baseline. */
async function activate({ rest }: N8n, service: Service, formIds: string[]): Promise<string> {
	const watched = formIds.length > 1 ? 'all' : formIds[0];
	const workflow = triggerWorkflow(await saveAccount(rest, service), watched);
	const workflowId = await rest.createWorkflow(workflow);
	await rest.activate(workflowId);
	await looked(service, formIds.length);
	return workflowId;
}

async function looked(service: Service, times: number): Promise<void> {
	if (!(await until(() => looks(service) >= times, LOOK_WITHIN_MS))) {
		throw new Error(
			`The trigger has looked ${looks(service)} times at the form, and not ${times}.`,
		);
	}
	// its reply has to arrive too
	await sleep(1_000);
}

type Battle = {
	n8n: N8n;
	service: Service;
	folder: string;
	workflowId: string;
	plan: Plan;
	random: () => number;
};

/** Kills n8n at random times, or in a look where it is aimed, and keeps what its database had before and after. */
async function killRepeatedly({
	n8n,
	service,
	folder,
	workflowId,
	plan,
	random,
}: Battle): Promise<Kill[]> {
	const start = Date.now();
	const kills: Kill[] = [];
	for (let number = 1; number <= plan.kills; number++) {
		const time = ((number - random()) / plan.kills) * plan.durationMs;
		await sleep(Math.max(0, start + time - Date.now()));
		const before = await readSqlite(sqliteFile(folder))(workflowId);
		if (plan.atomic && number % 2 === 1) {
			const seen = looks(service);
			await until(() => looks(service) > seen, LOOK_WITHIN_MS);
			await sleep(random() * IN_A_LOOK_MS);
		} else {
			await sleep(BEFORE_A_KILL_MS);
		}
		await n8n.kill();
		const copy = await keepDatabase(folder, `kill-${number}`);
		kills.push({ number, before, after: await readSqlite(copy)(workflowId) });
		await n8n.start();
	}
	return kills;
}

/** Waits until all has arrived, or nothing new can: the last look was long ago and went well. */
async function drained(
	service: Service,
	forms: number,
	isComplete: () => Promise<boolean>,
): Promise<void> {
	const deadline = Date.now() + DRAIN_TIMEOUT_MS;
	const seen = looks(service);
	while (Date.now() < deadline) {
		// several good looks without the last response mean that it is lost
		if ((await isComplete()) || looks(service) > seen + 5 * forms) break;
		await sleep(1_000);
	}
	// what would be repeated gets the time for it
	const settled = looks(service);
	await until(() => looks(service) >= settled + 2 * forms, 60_000);
	await sleep(2_000);
}
