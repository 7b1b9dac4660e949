/**
 * Takes the pictures of README.md in n8n's editor, in light and dark:
 *
 *   npm run pictures             all
 *   npm run pictures -- create   one
 *
 * They are to be looked at; no test compares them.
 */
import { join } from 'node:path';
import { Editor } from '../../test/n8n/browser/editor.mts';
import { openBrowser } from '../../test/n8n/browser/openBrowser.mts';
import { startWorld } from '../demo/world.mts';
import { step } from '../lib/command.mts';
import { owner } from '../lib/n8n/instance.mts';
import { root, temporaryFolder } from '../lib/paths.mts';
import { pictures } from './pictures.mts';

/** Messages and hints of n8n that come and go. */
const HIDDEN = `
	.el-notification, [role=tooltip], [data-reka-popper-content-wrapper]
	{ visibility: hidden !important }`;
const WINDOW = { width: 1440, height: 860 };
const chosen = process.argv.slice(2);

await using cleanup = new AsyncDisposableStack();
const world = await startWorld(await temporaryFolder('pictures', cleanup), cleanup);
const browser = await openBrowser(cleanup);
for (const colorScheme of ['light', 'dark'] as const) {
	const page = await browser.newPage({ colorScheme, viewport: WINDOW, deviceScaleFactor: 1.5 });
	const editor = new Editor(page, world.n8n.url);
	await editor.signIn(owner);
	for (const [name, prepare] of Object.entries(pictures)) {
		if (chosen.length > 0 && !chosen.includes(name)) continue;
		await step(`${name}, ${colorScheme}`, async () => {
			const shown = await prepare(editor, world);
			await page.mouse.move(0, 0);
			const boxes = await Promise.all(shown.map(async (element) => (await element.boundingBox())!));
			const x = Math.min(...boxes.map((box) => box.x));
			const y = Math.min(...boxes.map((box) => box.y));
			const width = Math.max(...boxes.map((box) => box.x + box.width)) - x;
			const height = Math.max(...boxes.map((box) => box.y + box.height)) - y;
			const path = join(root, 'docs', 'pictures', `${name}-${colorScheme}.png`);
			await page.screenshot({ path, style: HIDDEN, clip: { x, y, width, height } });
		});
	}
	await page.close();
}
