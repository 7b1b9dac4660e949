/**
 * Runs another script on Node 24, with this process's arguments and its exit code:
 *
 *   node scripts/run.mjs test/main.mts
 *
 * The packages of package-lock.json, Node 24 among them, are installed first if they are missing. Plain
 * JavaScript, for the machine's own Node 20 or newer.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const bin = join(root, 'node_modules', '.bin');
const onWindows = process.platform === 'win32';

/** Whether node_modules has every package of the lockfile, at its version. */
function isInstalled() {
	const paths = ['package-lock.json', 'node_modules/.package-lock.json'];
	const [wanted, installed] = paths.map((path) =>
		existsSync(join(root, path)) ? JSON.parse(readFileSync(join(root, path), 'utf8')).packages : {},
	);
	return Object.entries(wanted).every(
		([path, { version, optional, devOptional, peer }]) =>
			path === '' ||
			installed[path]?.version === version ||
			(installed[path] === undefined && (optional || devOptional || peer)),
	);
}

function must(command, args, cwd) {
	const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit', shell: onWindows });
	if (status === 0) return;
	console.error(
		`\`${command} ${args.join(' ')}\` did not work${error ? `: ${error.message}` : ''}.`,
	);
	process.exit(1);
}

const hasNode24 = () =>
	spawnSync(join(bin, 'node'), ['--version'], { shell: onWindows })
		.stdout?.toString()
		.startsWith('v24.');

if (Number(process.versions.node.split('.')[0]) < 20) {
	console.error(`Node 20 or newer is needed; this is ${process.version}.`);
	process.exit(1);
}
if (!isInstalled()) {
	console.log('Installing dependencies (about a minute)');
	// install scripts would compile isolated-vm for this Node, and nothing needs what the others do
	must('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], root);
}
if (!hasNode24()) {
	// the package "node" brings Node in an install script, after which npm can link to it. Node is named, not
	// addressed: the install has removed the one that runs this process if that was in node_modules.
	must('node', ['installArchSpecificPackage'], join(root, 'node_modules/node'));
	must('npm', ['rebuild', 'node', '--ignore-scripts', '--loglevel=error'], root);
}

const [script, ...args] = process.argv.slice(2);
const child = spawn(join(bin, 'node'), [join(root, 'scripts', script), ...args], {
	cwd: root,
	stdio: 'inherit',
	shell: onWindows,
	env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
});
// Ctrl-C reaches the child by itself, but a signal that is sent to this process alone does not.
// A signal that is sent to npm ends only npm and its shell.
const { ppid } = process;
const hasLostParent = () => process.env.npm_lifecycle_event && process.ppid !== ppid;
setInterval(() => hasLostParent() && child.kill(), 500).unref();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
