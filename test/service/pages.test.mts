import { expect, it } from 'vitest';
import { demoForms, startService } from './index.mts';

it('a form’s page marks required questions, and a PDF has a line for each answer', async () => {
	const service = await startService();
	const read = async (path: string) => await (await fetch(service.url + path)).text();
	const page = await read(`/f/${demoForms.contact}`);
	expect(page).toContain('Email <b title="required">*</b>');
	const answers = { Name: 'Zoë (Ada) Lovelace', Email: 'ada@example.com' };
	const { uuid } = service.store.addResponse(demoForms.contact, { answers });
	const pdf = await read(`/pdf/${uuid}.pdf`);
	expect(pdf).toContain('\\(Ada\\) Lovelace) Tj');
	expect(pdf).toContain('(Email: ada@example.com) Tj');
	await service.close();
});
