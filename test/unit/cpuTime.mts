/** Milliseconds of this thread's own work: the machine has other work too. */
export function cpuTimeOf(work: () => unknown): number {
	const before = process.threadCpuUsage();
	work();
	const { user, system } = process.threadCpuUsage(before);
	return (user + system) / 1_000;
}
