import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run, step } from './command.mts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

const OFF_THE_PATH = [
	'/usr/lib/chromium/chromium',
	'/opt/google/chrome/chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const MISSING =
	'A browser is missing: install Chromium or Chrome (on Debian: apt-get install chromium), or give its path in CHROMIUM_PATH.';

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

function findChromium(): string | undefined {
	const named = process.env.CHROMIUM_PATH;
	if (named) {
		if (isProgram(named)) return named;
		throw new Error(`There is no program at ${named}, which CHROMIUM_PATH names.`);
	}
	const folders = (process.env.PATH ?? '').split(delimiter);
	const onThePath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
	return [...onThePath, ...OFF_THE_PATH].find(isProgram);
}

/** Ubuntu is left out: its package of that name asks for snap, which containers do not have. */
function canInstall(): boolean {
	if (process.getuid?.() !== 0 || !existsSync('/etc/os-release')) return false;
	return (
		/^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8')) && isProgram('/usr/bin/apt-get')
	);
}

/**
 * The path of a Chromium or Chrome.
 * @throws Error with a line that says how to get one when there is none
 */
export function chromiumPath(): string {
	const found = findChromium();
	if (found === undefined) throw new Error(MISSING);
	return found;
}

/**
 * Installs Chromium from Debian's packages when there is neither it nor Chrome. That takes root on Debian,
 * which is what most containers are; elsewhere nothing is done.
 * @throws Error with the end of apt-get's output when that does not work
 */
export async function installChromium(): Promise<void> {
	if (findChromium() !== undefined || !canInstall()) return;
	await step('Installing Chromium from Debian’s packages (about a minute, once)', async () => {
		const apt = async (...args: string[]) =>
			await run('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
				env: { DEBIAN_FRONTEND: 'noninteractive' },
			});
		await apt('update');
		await apt('install', '-y', '--no-install-recommends', 'chromium');
	});
}
