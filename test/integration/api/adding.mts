import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { demoForms, type Service } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { toAnyCertificate } from '../servers.mts';
import type { World } from '../world.mts';

/** Adds a response to a form for every input item, which has the answers by UUID. */
export const addTo = (formId: string): INodeParameters => ({
	resource: 'response',
	operation: 'create',
	formId: locator(formId),
	inputMode: 'json',
	answersJson: '={{ $json }}',
	options: { allowMissingAnswers: true },
});

export const addEach = addTo(demoForms.survey);

/** So many input items, each with an answer of its own: its number. */
export function numbered({ store }: Service, count: number): INodeExecutionData[] {
	const { uuid } = store.fields(demoForms.survey).find(({ type }) => type === 'number')!;
	return itemsOf(...Array.from({ length: count }, (_, index) => ({ [uuid]: index })));
}

/** Adds responses with links to files, which are called 0.txt and so on, and starts to get them with the files. */
export function startDownloads({ service, n8n }: World, responses: string[][], more = {}) {
	const input = responses.map((links) => {
		const Message = links.map((link, index) => `${index}.txt|${link}`);
		return { uuid: service.store.addResponse(demoForms.contact, { answers: { Message } }).uuid };
	});
	const getWithFiles = {
		resource: 'response',
		operation: 'get',
		formId: locator(demoForms.contact),
		responseId: '={{ $json.uuid }}',
		options: { downloadFiles: true },
		requestOptions: { ...toAnyCertificate, ...more },
	};
	return n8n.startNode(getWithFiles, itemsOf(...input));
}

/** Gets such responses with their files, and says why files are missing from each item. */
export async function downloadAnswers(world: World, responses: string[][], more = {}) {
	const { items, run } = await startDownloads(world, responses, more).done;
	const problems = items.map(({ json }) => String(json.fileError ?? '').split('; '));
	return { items, run, problems };
}
