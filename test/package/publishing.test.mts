import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { environment, run } from '../../scripts/lib/command.mts';
import { root, temporaryFolder } from '../../scripts/lib/paths.mts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

it('publishing is refused by hand, and until the steps of CONTRIBUTING.md name the service and the owner', async () => {
	expect(scripts.prepublishOnly).toBe('node scripts/checkOwner.mjs && n8n-node prerelease');
	const byHand = spawnSync('n8n-node', ['prerelease'], { cwd: root, env: environment() });
	expect(byHand.status).toBe(1);

	await using cleanup = new AsyncDisposableStack();
	const folder = await temporaryFolder('owner', cleanup);
	const shell = async (command: string, cwd = folder) =>
		await run('bash', ['-ec', command], { cwd });
	await shell(`git checkout-index --all --prefix=${folder}/`, root);
	await shell('git init --quiet && git add .');
	await shell(`ln -s ${join(root, 'node_modules')} node_modules`);
	await shell('node scripts/rename.mts "Acme Forms" https://acme.example');
	// with all nodes in n8n's loader
	await shell('git add --all && node test/integration/n8n/built.mts');
	// the name of the service is nowhere, in whatever spelling
	const left = shell(
		'git grep -iE "form[-_ ]?service" || git ls-files | grep -iE "form[-_ ]?service"',
	);
	await expect(left).rejects.toThrow('ended with 1');
	if (read('package.json').includes('OWNER'))
		await expect(shell('node scripts/checkOwner.mjs')).rejects.toThrow('package.json:');
	const [, setUp] = /\n## Release\n.*?```sh\n(sed .*?)\n```/s.exec(
		readFileSync(join(folder, 'CONTRIBUTING.md'), 'utf8'),
	)!;
	await shell(`${setUp.replaceAll(/<.*?>/g, 'ada')} && node scripts/checkOwner.mjs`);
});
