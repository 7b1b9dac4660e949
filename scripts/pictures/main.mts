/**
 * Takes the pictures of README.md and the docs in n8n's editor, in light and dark:
 *
 *   npm run pictures
 *
 * They are to be looked at; no test compares them.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { step } from '../lib/command.mts';
import { Editor } from '../../test/n8n/browser/editor.mts';
import { openBrowser } from '../../test/n8n/browser/openBrowser.mts';
import { startWorld } from '../demo/world.mts';
import { owner } from '../lib/n8n/instance.mts';
import { root, temporaryFolder } from '../lib/paths.mts';
import { pictures } from './pictures.mts';

const folder = join(root, 'docs', 'pictures');
/** Messages and hints of n8n that come and go, and what stands above its canvas. */
const HIDDEN = `
	.el-notification, [role=tooltip], [data-reka-popper-content-wrapper],
	div:has([data-test-id=radio-button-workflow]):not(:has([data-test-id=canvas]))
	{ visibility: hidden !important }`;
const WINDOW = { width: 1280, height: 800 };
const chosen = process.argv.slice(2);

await using cleanup = new AsyncDisposableStack();
const world = await startWorld(await temporaryFolder('pictures', cleanup), cleanup);
const browser = await openBrowser(cleanup);

await mkdir(folder, { recursive: true });
for (const colorScheme of ['light', 'dark'] as const) {
	const page = await browser.newPage({ colorScheme, viewport: WINDOW, deviceScaleFactor: 1.5 });
	const editor = new Editor(page, world.n8n.url);
	await editor.signIn(owner);
	for (const [name, prepare] of Object.entries(pictures)) {
		if (chosen.length > 0 && !chosen.includes(name)) continue;
		await step(`${name}, ${colorScheme}`, async () => {
			await page.setViewportSize(WINDOW);
			const shown = await prepare(editor, world);
			await page.mouse.move(0, 0);
			await shown.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), style: HIDDEN });
		});
	}
	await page.close();
}
