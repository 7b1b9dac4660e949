const seconds = (since: number) => `${Math.round((Date.now() - since) / 1000)} s`;

/**
 * Does a piece of work and shows that it goes on: its title, every ten seconds the time it has taken, and
 * its end. Throws what the work throws.
 */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
	const start = Date.now();
	console.log(`… ${title}`);
	const reminder = setInterval(() => console.log(`  ${title}: ${seconds(start)}`), 10_000);
	try {
		const result = await work();
		console.log(`✓ ${title} (${seconds(start)})`);
		return result;
	} catch (error) {
		console.log(`✗ ${title} (${seconds(start)})`);
		throw error;
	} finally {
		clearInterval(reminder);
	}
}
