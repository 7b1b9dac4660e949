import { existsSync } from 'node:fs';
import { type BrowserContextOptions, chromium, selectors } from 'playwright-core';
import { findProgram, run, step } from '../../../scripts/lib/command.mts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const findChromium = () => process.env.CHROMIUM_PATH ?? findProgram(NAMES);

/** Root on Debian, which most containers run as, installs it. */
async function installChromium(): Promise<void> {
	if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) return;
	await step('Installing Chromium from Debian’s packages (about a minute, once)', async () => {
		const install = 'apt-get -q update && apt-get -qy install --no-install-recommends chromium';
		await run('sh', ['-c', install], { env: { DEBIAN_FRONTEND: 'noninteractive' } });
	});
}

/**
 * Starts a Chromium, or the Chrome that Playwright finds, without a window; it ends with `cleanup`.
 *
 * @throws Error that says how to get a browser if there is none
 */
export async function openBrowser(cleanup: AsyncDisposableStack) {
	if (findChromium() === undefined) await installChromium();
	const executablePath = findChromium();
	selectors.setTestIdAttribute('data-test-id');
	const browser = await chromium.launch({
		...(executablePath === undefined ? { channel: 'chrome' } : { executablePath }),
		// Chromium refuses to start with its sandbox as root, which containers run as
		chromiumSandbox: process.getuid?.() !== 0,
	});
	cleanup.defer(async () => await browser.close());
	return {
		/** A new tab of a person who is signed in nowhere. */
		async newPage(options: BrowserContextOptions = {}) {
			const viewport = { width: 1500, height: 1100 };
			const page = await browser.newPage({ viewport, ...options });
			page.setDefaultTimeout(60_000);
			return page;
		},
	};
}
