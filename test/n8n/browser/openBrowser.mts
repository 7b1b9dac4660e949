import { type BrowserContextOptions, chromium, selectors } from 'playwright-core';
import { provideChromium } from '../../../scripts/lib/chromium.mts';

/** What keeps a browser from asking for updates and the like, where nothing but this machine can be reached. */
const FLAGS = [
	'--disable-gpu',
	'--disable-quic',
	'--disable-dev-shm-usage',
	'--disable-component-update',
	'--disable-background-networking',
	'--disable-sync',
	'--no-first-run',
];

const WAIT_MS = 60_000;

export type Browser = Awaited<ReturnType<typeof openBrowser>>;

/** Starts a browser without a window; it ends with `cleanup`. */
export async function openBrowser(cleanup: AsyncDisposableStack) {
	selectors.setTestIdAttribute('data-test-id');
	const browser = await chromium.launch({
		executablePath: await provideChromium(),
		// Chromium refuses to start with its sandbox as root, which containers run as
		chromiumSandbox: process.getuid?.() !== 0,
		args: FLAGS,
	});
	cleanup.defer(async () => await browser.close());
	return {
		/** A new tab of a person who is signed in nowhere. */
		async newPage(options: BrowserContextOptions = {}) {
			const viewport = { width: 1500, height: 1100 };
			const page = await browser.newPage({ viewport, ...options });
			page.setDefaultTimeout(WAIT_MS);
			return page;
		},
	};
}
