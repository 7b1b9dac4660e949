import fc from 'fast-check';
import type { INodeExecutionData, INodePropertyOptions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { slow } from '../../service/index.mts';
import type { Fault, FaultName, RecordedRequest, Service } from '../../service/index.mts';
import { itemsOf, locator, n8nFor, placesOf, time } from '../harness.mts';
import { nodeOf } from '../n8n/package.mts';
import { operationCases } from '../resources/operations.mts';
import { createWorld, SECRET } from '../world.mts';
import { elsewhere, toAnyCertificate } from '../servers.mts';

const NAMES = ['Ada', 'Bob', 'Cleo'];

/** Stands in every text of an account, and in no text of another. */
const markOf = (name: string) => `only-for-${name}`;

type Tenant = ReturnType<typeof addTenant>;

const other = await elsewhere();

/** An account with a form and a response, whose respondent chose links that would do harm with a token. */
function addTenant({ store, url, token: base }: Service, name: string) {
	const mark = markOf(name);
	const token = `${base}-secret-token-of-${name}`;
	const { id: accountId } = store.addAccount({ name: mark, tokens: [token] });
	const file = store.addFile({ type: 'text/plain', data: Buffer.from(mark) });
	const addForm = () => {
		const fields = [
			{ label: mark },
			{ label: 'Access token' },
			{ label: 'Link', description: mark },
			{ label: 'File', type: 'file_upload' as const },
		];
		const settings = { description: mark };
		const { id: formId } = store.addForm({ name: mark, accountId, fields, settings });
		const File = [`a.txt|/files/${file.id}/a.txt`];
		const places = [
			`${url}/admin/export.csv`,
			`${url}/api/v1/workspace`,
			`${other.namedUrl}/z.csv`,
		];
		const Link = places.map((place) => `x.csv|${place}`);
		const answers = { [mark]: mark, 'Access token': mark, File, Link };
		return { formId, responseId: store.addResponse(formId, { answers }).uuid };
	};
	return { name, token, accountId, addForm, ...addForm() };
}

/** Lets work be done at a service with three accounts, and checks that each request was for IDs that the work allows its token. */
async function inHostileWorld(
	fault: Trouble,
	work: (service: Service, tenants: Tenant[]) => Promise<Array<{ token: string; id: string }>>,
): Promise<void> {
	other.visits.length = 0;
	const { service } = await createWorld({ perMinute: 100_000, perDay: 1_000_000, seed: false });
	const tenants = NAMES.map((name) => addTenant(service, name));
	if (fault) service.faults.set({ fault, times: 1 });
	const allowed = await work(service, tenants);
	const isAllowed = ({ token, path }: RecordedRequest) =>
		allowed.some((one) => one.token === token && path.split('/')[2] === one.id);
	const toRecords = service.requests.filter(({ path }) => /^\/(form|response)s?\//.test(path));
	expect(toRecords.filter((one) => !isAllowed(one))).toEqual([]);
	const toFiles = service.visits.filter(({ path }) => !path.startsWith('/pdf/'));
	expect(toFiles.filter(({ token }) => token !== undefined)).toEqual([]);
	expect(other.visits.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
}

/** Values of the parameters that decide what is output, as far as an operation or the trigger has them. */
const switches = fc.record({
	simplify: fc.boolean(),
	returnAll: fc.boolean(),
	download: fc.boolean(),
	preview: fc.boolean(),
	options: fc.record({
		...{ downloadFiles: fc.boolean(), columns: fc.boolean(), skipUnchanged: fc.boolean() },
		nameAnswersBy: fc.constantFrom('label', 'uuid'),
		emitExisting: fc.constant('all'),
	}),
});

/** What goes wrong on the way: nothing, a reply that comes late, a request that hangs. */
type Trouble = Fault | FaultName | undefined;
const trouble = fc.constantFrom<Trouble>(undefined, slow(5_000), 'silentBefore', 'serverError');

/** All that items hold as text, with their files unpacked. */
function textOf(items: readonly INodeExecutionData[]): string {
	const files = items.flatMap(({ binary = {} }) =>
		Object.values(binary).map(({ data }) => Buffer.from(data, 'base64').toString()),
	);
	return JSON.stringify([items.map(({ json, error }) => [json, error?.message]), files]);
}

/** Checks that a text has no secret and no token, and nothing of an account but its own. */
function expectNoLeak(text: string, tenants: readonly Tenant[], own?: Tenant): void {
	const others = tenants.filter((tenant) => tenant !== own).map(({ name }) => markOf(name));
	const forbidden = [SECRET, ...tenants.map(({ token }) => token), ...others];
	expect(forbidden.filter((one) => text.includes(one))).toEqual([]);
}

const drawTenant = fc.nat(NAMES.length - 1);

describe('in a world of several accounts, delays and planted secrets', () => {
	it.each(operationCases)('$name keeps items and tokens to their accounts', async (operation) => {
		const given = { ...operation.parameters, requestOptions: toAnyCertificate };
		const run = fc.record({
			parameters: switches.map((drawn) => ({ ...drawn, ...given })),
			items: fc.array(fc.tuple(drawTenant, drawTenant), { minLength: 2, maxLength: 5 }),
			fault: trouble,
			continueOnFail: fc.boolean(),
		});
		const property = fc.asyncProperty(run, async ({ parameters, items, fault, ...options }) => {
			await inHostileWorld(fault, async (service, tenants) => {
				const pairs = items.map(([by, of]) => [tenants[by], tenants[of]] as const);
				const n8n = n8nFor({ accessToken: '={{ $json.token }}', baseUrl: service.url });
				// one account's token and another's form, with all that operations need
				const input = pairs.map(([{ token }, { formId, responseId }]) => {
					const answers = { [service.store.fields(formId)[0].uuid]: 'an answer' };
					return { token, formId, responseId, answers, settings: { seo_title: 'a title' } };
				});
				const result = await n8n.runNode(parameters, itemsOf(...input), options);
				for (const [index, [by]] of pairs.entries()) {
					const own = result.items.filter((item) => placesOf([item])[0] === index);
					// an error item shows its input again
					expectNoLeak(textOf(own).replaceAll(`"token":"${by.token}"`, ''), tenants, by);
				}
				expectNoLeak(String(result.error?.message), tenants);
				return pairs.flatMap(([{ token }, { formId, responseId }]) =>
					[formId, responseId].map((id) => ({ token, id })),
				);
			});
		});
		await fc.assert(property, { numRuns: 12 });
	});

	it('the trigger emits nothing of another account and no secret, and sends its token to the API alone', async () => {
		const { properties } = nodeOf('formServiceTrigger').description;
		const { options = [] } = properties.find(({ name }) => name === 'events')!;
		const events = (options as INodePropertyOptions[]).map(({ value }) => value);
		const watched = fc.constantFrom('all', 'one', 'several');
		const run = fc.tuple(switches, watched, drawTenant, trouble);
		const property = fc.asyncProperty(run, async ([drawn, watch, index, fault]) => {
			await inHostileWorld(fault, async (service, tenants) => {
				const own = tenants[index];
				const { token, formId, responseId, accountId } = own;
				const n8n = n8nFor({ accessToken: token, baseUrl: service.url });
				const forms = { formId: locator(formId), formIds: [formId] };
				const parameters = { ...drawn, events, watch, ...forms };
				const staticData = {};
				for (const mode of ['trigger', 'trigger', 'manual'] as const) {
					const text = await n8n.runPoll(parameters, { mode, staticData }).then(
						({ items }) => textOf(items ?? []),
						({ message }: Error) => message,
					);
					expectNoLeak(text, tenants, own);
					for (const { addForm } of tenants) addForm();
					await time.sleep(3_600_000);
				}
				const ids = service.store.forms(accountId).map(({ id }) => id);
				return [...ids, responseId].map((id) => ({ token, id }));
			});
		});
		await fc.assert(property, { numRuns: 25 });
	});
});
