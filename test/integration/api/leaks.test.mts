import type { INodeExecutionData, INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { expect, it } from 'vitest';
import type { Service } from '../../service/index.mts';
import { itemsOf, locator, n8nFor, placesOf, time } from '../harness.mts';
import { nodeOf } from '../n8n/built.mts';
import { operationCases } from '../resources/operations.mts';
import { createWorld, SECRET } from '../world.mts';
import { elsewhere, toAnyCertificate } from '../servers.mts';

const other = await elsewhere();

type Tenant = ReturnType<typeof addTenant>;

/** An account with a form and a response, whose respondent chose links that would do harm with a token. */
function addTenant({ store, url, token: base }: Service, name: string) {
	// stands in every text of the account, and in no text of another
	const mark = `only-for-${name}`;
	const token = `${base}-secret-token-of-${name}`;
	const { id: accountId } = store.addAccount({ name: mark, tokens: [token] });
	const file = store.addFile({ type: 'text/plain', data: Buffer.from(mark) });
	const addForm = () => {
		const fields = [{ label: mark }, { label: 'Link', description: mark }];
		const settings = { description: mark };
		const { id: formId } = store.addForm({ name: mark, accountId, fields, settings });
		const places = [`/files/${file.id}/a.txt`, '/admin/export.csv', '/api/v1/workspace'];
		const links = [...places.map((path) => url + path), `${other.namedUrl}/z.csv`];
		const answers = { [mark]: mark, Link: links.map((link) => `x.csv|${link}`) };
		return { formId, responseId: store.addResponse(formId, { answers }).uuid };
	};
	return { mark, token, accountId, addForm, ...addForm() };
}

async function createTenants() {
	other.visits.length = 0;
	const { service } = await createWorld({ perMinute: 100_000, seed: false });
	const [ada, bob] = ['Ada', 'Bob'].map((name) => addTenant(service, name));
	return { service, ada, bob };
}

/** Checks that no token was sent but to the API, for IDs that the work allows the token. */
function expectOwnRequests({ requests, visits }: Service, allowed: Record<string, string[]>): void {
	const toRecords = requests.filter(({ path }) => /^\/(form|response)s?\//.test(path));
	const others = toRecords.filter(
		({ token, path }) => !allowed[token!].includes(path.split('/')[2]),
	);
	expect(others).toEqual([]);
	const toFiles = visits.filter(({ path }) => !path.startsWith('/pdf/'));
	expect(toFiles.filter(({ token }) => token !== undefined)).toEqual([]);
	expect(other.visits.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
}

/** Checks that items, with their files unpacked, have no secret, no token, and nothing of another account. */
function expectNoLeak(items: readonly INodeExecutionData[], { mark, token }: Tenant): void {
	const files = items.flatMap(({ binary = {} }) =>
		Object.values(binary).map(({ data }) => Buffer.from(data, 'base64').toString()),
	);
	const text = JSON.stringify([items.map(({ json, error }) => [json, error?.message]), files]);
	expect([SECRET, mark, token].filter((one) => text.includes(one))).toEqual([]);
}

const whole: INodeParameters = {
	...{ simplify: false, returnAll: true, download: true, preview: true },
	options: { downloadFiles: true, allowMissingAnswers: true, skipUnchanged: true },
};

it.each(operationCases)(
	'$name keeps items, secrets and tokens to their accounts',
	async (operation) => {
		for (const more of [{}, whole]) {
			const { service, ada, bob } = await createTenants();
			const parameters = { ...operation.parameters, ...more, requestOptions: toAnyCertificate };
			// an account's own form, and that of another account
			const [users, owners] = [
				[ada, bob, ada, bob],
				[ada, bob, bob, bob],
			];
			const input = owners.map(({ formId, responseId }, index) => {
				const answers = { [service.store.fields(formId)[0].uuid]: 'an answer' };
				const given = { formId, responseId, answers, settings: { seo_title: 'a title' } };
				return { ...given, token: users[index].token };
			});
			const n8n = n8nFor({ accessToken: '={{ $json.token }}', baseUrl: service.url });
			const { items } = await n8n.runNode(parameters, itemsOf(...input), {
				onError: 'continueRegularOutput',
			});
			for (const item of items) {
				const user = users[placesOf([item])[0]!];
				expectNoLeak([item], user === ada ? bob : ada);
			}
			const idsOf = (...tenants: Tenant[]) =>
				tenants.flatMap(({ formId, responseId }) => [formId, responseId]);
			const allowed = { [ada.token]: idsOf(ada, bob), [bob.token]: idsOf(bob) };
			expectOwnRequests(service, allowed);
		}
	},
);

it.each(['all', 'one', 'several'])(
	'The trigger keeps items, secrets and tokens to its account, and watches %s',
	async (watch) => {
		const { properties } = nodeOf('formServiceTrigger').description;
		const { options = [] } = properties.find(({ name }) => name === 'events')!;
		const events = (options as INodePropertyOptions[]).map(({ value }) => value);
		const { service, ada, bob } = await createTenants();
		const n8n = n8nFor({ accessToken: ada.token, baseUrl: service.url });
		const forms = { formId: locator(ada.formId), formIds: [ada.formId] };
		const parameters = {
			...{ ...forms, watch, events, simplify: false },
			options: { downloadFiles: true, emitExistingSince: '2000-01-01' },
		};
		const staticData = {};
		for (const mode of ['trigger', 'trigger', 'manual'] as const) {
			const { items } = await n8n.runPoll(parameters, { mode, staticData });
			expect(items).not.toBeNull();
			expectNoLeak(items ?? [], bob);
			for (const { addForm } of [ada, bob]) addForm();
			service.store.addResponse(ada.formId, {});
			await time.sleep(3_600_000);
		}
		const ids = service.store.forms(ada.accountId).map(({ id }) => id);
		expectOwnRequests(service, { [ada.token]: [...ids, ada.responseId] });
	},
);
