/** Milliseconds of this thread's own work: the machine has other work too. */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
	const before = process.threadCpuUsage();
	await work();
	const { user, system } = process.threadCpuUsage(before);
	return (user + system) / 1_000;
}
