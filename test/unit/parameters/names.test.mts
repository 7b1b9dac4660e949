import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FormServiceApi } from '../../../credentials/FormServiceApi.credentials.ts';
import { FormService } from '../../../nodes/FormService/FormService.node.ts';
import { FormServiceTrigger } from '../../../nodes/FormService/FormServiceTrigger.node.ts';
import { root } from '../../../scripts/lib/paths.mts';

/** Returns the names of the parameters, options and choices that the editor shows. */
function listShownNames(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [];
	const { displayName, name } = value as { displayName?: unknown; name?: unknown };
	const names = [displayName, name].filter((text) => typeof text === 'string');
	return [...names, ...Object.values(value).flatMap(listShownNames)];
}

/** Returns the names in quotes in the texts of a file: `Limit` in "Increase 'Limit'." */
function listQuotedNames(path: string): string[] {
	const texts = readFileSync(join(root, path), 'utf8').match(/"[^"\n]*"|`[^`]*`/g) ?? [];
	return texts.flatMap((text) => Array.from(text.matchAll(/'([A-Z][^']*)'/g), ([, name]) => name));
}

it('A name in quotes in an error or a description is a name in the editor', () => {
	const nodes = [new FormService(), new FormServiceTrigger()];
	const descriptions = [...nodes.map((node) => node.description), new FormServiceApi().properties];
	const shown = descriptions.flatMap(listShownNames);
	const quoted = globSync('{nodes,credentials}/**/*.ts', { cwd: root }).flatMap(listQuotedNames);
	expect(quoted.length).toBeGreaterThan(20);
	// a request option, a parameter and a button of n8n, and the zone in the format of a time
	const known = [...shown, 'Timeout', 'Poll Times', 'Fetch Test Event', 'UTC'];
	expect(quoted.filter((name) => !known.includes(name))).toEqual([]);
});
