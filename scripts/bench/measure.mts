import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import lodash from 'lodash';
import type { Account } from '../../test/integration/harness.mts';
import { startService } from '../../test/service/index.mts';

export function median(numbers: readonly number[]): number {
	const sorted = numbers.toSorted((one, other) => one - other);
	return sorted[Math.floor(sorted.length / 2)];
}

export const formatMs = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
export const formatMinutes = (ms: number) => `${(ms / 60_000).toFixed(1)} min`;
export const formatCount = (count: number) => count.toLocaleString('en');
export const formatMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Milliseconds of all processors that a piece of work takes in this process. */
export async function measureProcessorTime(work: () => unknown): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

/** Runs a file of the bench in a process of its own; returns what that process sends. */
export async function runInOwnProcess<T>(file: string, args: string[]): Promise<T> {
	const child = fork(fileURLToPath(file), args);
	const ended = once(child, 'exit').then(() => {
		throw new Error(`${file} ended before it had measured anything.`);
	});
	const [measured] = (await Promise.race([once(child, 'message'), ended])) as [T];
	child.kill();
	return measured;
}

export type ServedForm = {
	account: Account;
	formId: string;
	/** Adds responses until the form has so many. */
	fill(count: number): Promise<void>;
	close(): void;
};

/** A form at a stand-in for the service, which runs in a process of its own. */
export async function serveForm(): Promise<ServedForm> {
	const child = fork(fileURLToPath(import.meta.url), ['--serve']);
	const [begun] = (await once(child, 'message')) as [Pick<ServedForm, 'account' | 'formId'>];
	return {
		...begun,
		async fill(count) {
			child.send(count);
			await once(child, 'message');
		},
		close: () => void child.kill(),
	};
}

async function serve(parent: Required<Pick<ChildProcess, 'send'>>): Promise<void> {
	const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
	const { store, token, baseUrl } = await startService({ ...limits, seed: false });
	const labels = ['Name', 'Email', 'Message', 'Phone', 'Comment'];
	const { id } = store.addForm({ name: 'Form', fields: labels.map((label) => ({ label })) });
	let number = 0;
	process.on('message', (count: number) => {
		for (; number < count; number++) {
			const texts = labels.map(
				(label) => `${label} of respondent ${number}, in words of some length`,
			);
			const createdAt = new Date(1_700_000_000_000 + number * 60_000).toISOString();
			store.addResponse(id, { answers: lodash.zipObject(labels, texts), createdAt });
		}
		parent.send('filled');
	});
	process.on('disconnect', () => process.exit());
	parent.send({ account: { accessToken: token, baseUrl }, formId: id });
}

if (process.argv[2] === '--serve') await serve(process as Required<Pick<ChildProcess, 'send'>>);
