import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const fields = { resource: 'field', operation: 'getAll' };
const byUrl = (value: string) => ({ __rl: true, mode: 'url', value }) as unknown as INodeParameters;

describe('Form: By URL', () => {
	it.each([
		'https://forms.example.com/f/<id>',
		'http://127.0.0.1:4010/app/forms/<id>/edit?tab=2#top',
		'https://forms.example.com/<id>',
		' https://forms.example.com/<id>/ ',
	])('takes the form of %s', async (url) => {
		const formId = byUrl(url.replace('<id>', demoForms.contact));
		const { items, error } = await n8n.runNode({ ...fields, formId });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(4);
		expect(service.requests.map(({ path }) => path)).toEqual([
			`/forms/${demoForms.contact}/fields`,
		]);
	});

	it('stops at a URL without an ID before anything is sent', async () => {
		const { error } = await n8n.runNode({ ...fields, formId: byUrl('https://forms.example.com') });
		expect(error?.message).toBe("'Form' is not a valid ID");
		expect(error?.description).toMatch(
			/^Nothing was sent\.\nChoose the form from the list, or enter /,
		);
		expect(service.requests).toEqual([]);
	});
});

describe('Form: By ID', () => {
	it('takes the form of a pasted URL', async () => {
		const formId = locator(`https://forms.example.com/f/${demoForms.contact}`);
		const { items } = await n8n.runNode({ ...fields, formId });
		expect(items).toHaveLength(4);
	});
});
