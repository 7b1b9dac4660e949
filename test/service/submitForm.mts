import type { Service } from './index.mts';

/**
 * Submits a form as a browser does: gets the form's page, then posts the answers. The key of an answer is the
 * label of its field.
 */
export async function submitFormPage(
	service: Pick<Service, 'url' | 'store'>,
	formId: string,
	answers: Record<string, string>,
): Promise<void> {
	const address = `${service.url}/f/${formId}`;
	const page = await (await fetch(address)).text();
	const body = new URLSearchParams();
	for (const { uuid, label } of service.store.fields(formId)) {
		if (!page.includes(`name="${uuid}"`)) throw new Error(`The page has no field "${label}".`);
		body.set(uuid, answers[label] ?? '');
	}
	const reply = await fetch(address, { method: 'POST', body });
	await reply.text();
	if (!reply.ok) throw new Error(`${address} did not take the submission (${reply.status}).`);
}
