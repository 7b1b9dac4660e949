import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../../scripts/lib/command.mts';
import { root } from '../../scripts/lib/paths.mts';

const isAlive = (pid: number) => {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
};

it('a killed script leaves no process behind that it has started for n8n', async () => {
	const module = join(root, 'scripts', 'lib', 'command.mts');
	const code = `import { spawnGroup } from ${JSON.stringify(module)};
		console.log(spawnGroup('sleep', ['600'], 'ignore').pid);
		setInterval(() => {}, 1000);`;
	const script = spawn(process.execPath, ['--input-type=module', '-e', code]);
	const [pid] = (await once(script.stdout, 'data')).map(Number);
	expect(isAlive(pid)).toBe(true);
	script.kill('SIGKILL');
	expect(await until(() => !isAlive(pid), 10_000)).toBe(true);
});
