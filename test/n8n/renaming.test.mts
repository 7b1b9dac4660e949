import lodash from 'lodash';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it, vi } from 'vitest';
import { until } from '../../scripts/lib/command.mts';
import { executionReader } from '../../scripts/lib/n8n/instance.mts';
import { type WorkflowFile, workflowNode } from '../../scripts/lib/n8n/rest.mts';
import type { Service } from '../service/index.mts';
import { submitFormPage } from '../service/submitForm.mts';
import { findTorn, listDeliveries, readDatabase } from './delivery/database.mts';
import { modes, type Mode } from './delivery/modes.mts';
import { countPolls, TRIGGER, triggerWorkflow } from './delivery/submissions.mts';
import { report, saveAccount, startInstance, startUnlimited } from './instance.mts';

vi.setConfig({ maxConcurrency: 3 });

const ARRIVES_WITHIN_MS = 90_000;
/** How long after n8n was asked to publish a kill falls, at most. */
const IN_A_PUBLICATION_MS = 1_500;
const PUBLISHES_WITHIN_MS = 300_000;
const RENAMINGS = 3;

/** The nodes of a trigger's workflow, with UUIDs as n8n's editor gives them. */
type Nodes = { trigger: { id?: string; name: string }; end: { id?: string } };

/** A workflow with a trigger that emits existing responses, in a real n8n. */
async function startWorkflow(cleanup: AsyncDisposableStack, { line, env, isAtomic }: Mode) {
	const service = await startUnlimited(cleanup, { seed: false });
	const { id: formId } = service.store.addForm({ name: 'Form', fields: [{ label: 'Name' }] });
	const given = { line, env: { EXECUTIONS_DATA_PRUNE: 'false', ...env } };
	const { n8n, folder } = await startInstance(cleanup, given);
	const credential = await saveAccount(n8n.rest, service);
	const parse = await executionReader(line);
	const names = new Set<string>([TRIGGER]);

	const compose = ({ trigger, end }: Nodes): WorkflowFile => {
		const workflow = triggerWorkflow(credential, formId);
		const [node] = workflow.nodes;
		lodash.set(node, 'parameters.options.emitExisting', 'all');
		Object.assign(node, trigger, { id: trigger.id });
		const last = workflowNode('End', 'n8n-nodes-base.noOp', { position: [240, 0] });
		const next = { main: [[{ node: 'End', type: 'main' as const, index: 0 }]] };
		const nodes = [node, { ...last, id: end.id! }];
		return { ...workflow, nodes, connections: { [node.name]: next } };
	};
	const created = compose({ trigger: { id: crypto.randomUUID(), name: TRIGGER }, end: {} });
	const workflowId = await n8n.rest.createWorkflow(created);
	const path = `/rest/workflows/${workflowId}`;
	const listUuids = () => service.store.responses(formId).map(({ uuid }) => uuid);
	/** What n8n has stored, and the executions that each response is in, under any name of the trigger. */
	const read = () => {
		const stored = readDatabase(folder, workflowId);
		const all = [...names].flatMap((name) => [...listDeliveries(stored, name, parse)]);
		const ofResponses = Map.groupBy(all, ([uuid]) => uuid);
		const deliveries = new Map(
			[...ofResponses].map(([uuid, pairs]) => [uuid, pairs.flatMap(([, ids]) => ids)]),
		);
		return { stored, deliveries };
	};
	/** The responses of which a kill has left only one of n8n's two writes: n8n itself loses or repeats them. */
	const torn = new Set<string>();

	return {
		service,
		torn,
		submit: async () => await submitFormPage(service, formId, { Name: 'Ada Lovelace' }),
		/** The nodes as n8n has saved them. */
		async readNodes(): Promise<Required<Nodes['trigger']>[]> {
			return ((await n8n.rest.send('GET', path)) as WorkflowFile).nodes;
		},
		/** Saves the workflow as a client does that knows nothing of its versions. */
		async save(nodes: Nodes): Promise<void> {
			names.add(nodes.trigger.name);
			const { versionId } = (await n8n.rest.send('GET', path)) as { versionId: string };
			const body = { ...compose(nodes), versionId };
			await n8n.rest.send('PATCH', `${path}?forceSave=true`, JSON.parse(JSON.stringify(body)));
		},
		publish: async () => await n8n.rest.activate(workflowId),
		async kill(): Promise<void> {
			await n8n.kill();
			if (isAtomic) return;
			const { stored, deliveries } = read();
			const { lost, repeated } = findTorn(stored, deliveries, listUuids());
			for (const uuid of [...lost, ...repeated]) torn.add(uuid);
		},
		start: async () => await n8n.start(),
		/** How often each response that no kill has torn has started the workflow, in the order of submission. */
		count(): number[] {
			const { deliveries } = read();
			const whole = listUuids().filter((uuid) => !torn.has(uuid));
			return whole.map((uuid) => deliveries.get(uuid)?.length ?? 0);
		},
	};
}

type Run = Awaited<ReturnType<typeof startWorkflow>>;

/** Waits until each response has started the workflow so often, and two more polls have come. */
async function settle({ count, service }: Run, times: number): Promise<number[]> {
	await until(() => count().every((one) => one >= times), ARRIVES_WITHIN_MS, 500);
	await waitForPolls(service, 2);
	return count();
}

async function waitForPolls(service: Service, polls: number): Promise<void> {
	const before = countPolls(service);
	await until(() => countPolls(service) >= before + polls, ARRIVES_WITHIN_MS, 200);
	// the reply has to arrive, and n8n has to save
	await sleep(2_000);
}

/** Kills n8n while it publishes; what people submit meanwhile waits for its next start. */
async function killWhilePublishing({ publish, submit, kill, start }: Run): Promise<void> {
	const published = publish().catch(() => undefined);
	await sleep(Math.random() * IN_A_PUBLICATION_MS);
	await kill();
	await published;
	await submit();
	await start();
	// n8n takes a while to notice that the publication has been cut off
	const isPublished = async () =>
		await publish().then(
			() => true,
			() => false,
		);
	await until(isPublished, PUBLISHES_WITHIN_MS);
}

const chosen = process.env.DELIVERY_MODES?.split(',') ?? [];
const tried = modes.filter(({ name }) => chosen.includes(name));

describe.concurrent('While n8n is killed,', () => {
	it.for(tried.length > 0 ? tried : modes)(
		'a renamed trigger continues, and one that replaces another starts over: $title',
		async (mode, { expect }) => {
			await using cleanup = new AsyncDisposableStack();
			const run = await startWorkflow(cleanup, mode);
			const { submit, save, publish, kill, start, readNodes, service, torn } = run;
			await submit();
			await submit();
			await publish();
			expect(await settle(run, 1)).toEqual([1, 1]);

			for (let number = 1; number <= RENAMINGS; number++) {
				const [trigger, end] = await readNodes();
				const renamed = { ...trigger, name: `Renamed ${number}` };
				await submit();
				await save({ trigger: { id: trigger.id, name: renamed.name }, end });
				if (number % 2 === 1) await killWhilePublishing(run);
				else {
					await publish();
					await waitForPolls(service, 1);
					await kill();
					await start();
				}
				await submit();
				const counts = await settle(run, 1);
				expect(counts, `after renaming ${number}`).toEqual(counts.map(() => 1));
			}

			const [old, end] = await readNodes();
			await save({ trigger: { id: crypto.randomUUID(), name: old.name }, end });
			await publish();
			const again = await settle(run, 2);
			expect(again, 'of a new trigger').toEqual(again.map(() => 2));
			await kill();
			await start();
			const kept = await settle(run, 2);
			expect(kept, 'of a new trigger, after a kill').toEqual(again);

			await save({ trigger: { name: old.name }, end: {} });
			const saved = await readNodes();
			expect(saved.map(({ id }) => id)).not.toContain(end.id);
			await publish();
			const times = mode.isAtomic ? 3 : 2;
			const last = await settle(run, times);
			await report(`renaming, ${mode.name}`, { withoutIds: last, torn: torn.size });
			expect(last, 'saved without IDs').toEqual(last.map(() => times));
			// at each kill, at most one response waits
			expect(torn.size).toBeLessThanOrEqual(RENAMINGS);
		},
	);
});
