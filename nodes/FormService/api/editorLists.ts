import type { IDataObject } from 'n8n-workflow';
import { getAccount } from './account';
import { steadyClock } from './gate/accounts';
import type { Sender } from './sender';
import { listFields, listForms } from './service';
import { Remembered } from './shared';

/**
 * How long the editor's lists are remembered: no more than one request a minute, however fast a
 * person types. After a failure, typing on does not ask again, but a person who looks again does.
 */
const REMEMBER_MS = { found: 60_000, failed: 10_000 };

const remembered = new Remembered<IDataObject[]>(REMEMBER_MS, steadyClock.now);

/** The forms for a list in the editor: what was fetched within the last minute is given again. */
export async function rememberedForms(sender: Sender): Promise<IDataObject[]> {
	const { key } = await getAccount(sender.context, sender.itemIndex);
	return await remembered.recall(key, async () => await listForms(sender));
}

/** The fields of one form for the editor, remembered like the forms. */
export async function rememberedFields(sender: Sender, formId: string): Promise<IDataObject[]> {
	const { key } = await getAccount(sender.context, sender.itemIndex);
	return await remembered.recall(`${key} ${formId}`, async () => await listFields(sender, formId));
}
