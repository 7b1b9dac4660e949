import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { escapeRegExp } from 'lodash';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mts';

const read = (path: string) => readFileSync(resolve(root, path), 'utf8');

/** What GitHub makes of a page's headings when they are linked to. */
function listAnchors(path: string): string[] {
	const headings = read(path).matchAll(/^#+ (.*)$/gm);
	return Array.from(headings, ([, heading]) =>
		heading
			.toLowerCase()
			.replaceAll(/[^\p{L}\p{N} _-]/gu, '')
			.replaceAll(' ', '-'),
	);
}

/** Links and pictures of a page, without those that lead out of the repository. */
const listLinks = (text: string) =>
	[...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)]
		.map(([, link, picture]) => link ?? picture)
		.filter((link) => !/^[a-z]+:/.test(link));

const pages = globSync(['*.md', '{docs,examples}/*.md', 'test/**/README.md'], { cwd: root });

describe('the documentation', () => {
	it.each(pages)('%s links to files and headings that exist', (page) => {
		for (const link of listLinks(read(page))) {
			const [path, anchor] = link.split('#');
			const target = path ? resolve(root, dirname(page), path) : join(root, page);
			expect(existsSync(target), link).toBe(true);
			if (anchor) expect(listAnchors(target), link).toContain(anchor);
		}
	});

	it('describes functions, types and files that exist', () => {
		const page = read('docs/architecture.md');
		const paths = globSync('{nodes,test/service}/**/*', { cwd: root });
		const code = paths.filter((path) => /\.m?ts$/.test(path)).map(read);
		const n8nNames = ['NODE_PATH', 'customOperations', 'execute'];
		const known = [...paths, ...code, ...n8nNames].join('\n');
		const mentions = page.matchAll(/`([A-Za-z]\w*)`|^ {2,}([a-z]\w*)(?= {2,}|$)/gm);
		const names = Array.from(mentions, ([, quoted, called]) => quoted ?? called);
		expect(names.length).toBeGreaterThan(30);
		expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(known))).toEqual([]);
	});

	it('quotes errors as n8n shows them', () => {
		const shown = [...read('test/integration/api/errorTexts.md').matchAll(/^> \*\*(.*)\*\*$/gm)];
		const [, section] = /## Troubleshooting\n(.*?)\n## /s.exec(read('README.md')) ?? [];
		const quoted = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, text]) => text);
		expect(quoted.length).toBeGreaterThan(5);
		for (const text of quoted) {
			const parts = new RegExp(text.split('…').map(escapeRegExp).join('.*'));
			const matching = shown.filter(([, message]) => parts.test(message));
			expect(matching, `${text}: add a case to test/integration/api`).not.toEqual([]);
		}
	});
});
