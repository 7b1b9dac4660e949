import { existsSync, readFileSync } from 'node:fs';
import { findProgram, run, step } from './command.mts';

const APPS = ['Chromium', 'Google Chrome'];
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', ...APPS];
const ON_A_MAC = APPS.map((name) => `/Applications/${name}.app/Contents/MacOS`);

const findChromium = () => process.env.CHROMIUM_PATH ?? findProgram(NAMES, ON_A_MAC);

/**
 * Finds Chromium or Chrome. If there is none, root on Debian, which most containers run as, installs it.
 * Ubuntu's package needs snap, which containers do not have.
 *
 * @returns the path of the program
 * @throws Error that says how to get a browser
 */
export async function provideChromium(): Promise<string> {
	const release = '/etc/os-release';
	const isDebian = existsSync(release) && /^ID=debian$/m.test(readFileSync(release, 'utf8'));
	if (findChromium() === undefined && isDebian && process.getuid?.() === 0) {
		await step('Installing Chromium from Debian’s packages (about a minute, once)', async () => {
			const options = ['-q', '-o', 'DPkg::Lock::Timeout=120'];
			const env = { DEBIAN_FRONTEND: 'noninteractive' };
			await run('apt-get', [...options, 'update'], { env });
			const packages = ['--no-install-recommends', 'chromium'];
			await run('apt-get', [...options, 'install', '-y', ...packages], { env });
		});
	}
	const found = findChromium();
	if (found === undefined) {
		throw new Error(
			'There is no browser. Install Chromium or Chrome (on Debian: apt-get install chromium), or set CHROMIUM_PATH to its path.',
		);
	}
	return found;
}
