import fc from 'fast-check';
import { set } from 'lodash';
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodePropertyOptions,
} from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { slow, type Fault, type FaultName, type Service } from '../../service/index.mts';
import { itemsOf, locator, n8nFor, time } from '../harness.mts';
import { nodeOf, typeOf } from '../n8n/package.mts';
import { operationCases, type OperationCase } from '../tables/operations.mts';
import { placesIn, valuesOf } from '../tables/parameters.mts';
import { SECRET, startTestService } from '../world.mts';
import { elsewhere, type Elsewhere } from '../servers.mts';

const NAMES = ['Ada', 'Bob', 'Cleo'] as const;

/** Stands in every text of an account, and in no text of another. */
const markOf = (name: string) => `only-for-${name}`;

type Tenant = {
	name: string;
	token: string;
	accountId: number;
	formId: string;
	responseId: string;
};

/** A service with three accounts whose respondents chose links that would do harm with a token. */
async function hostileService(other: Elsewhere): Promise<{ service: Service; tenants: Tenant[] }> {
	const service = await startTestService({ perMinute: 100_000, perDay: 1_000_000, seed: false });
	const tenants = NAMES.map((name) => addTenant(service, other, name));
	return { service, tenants };
}

function addTenant(service: Service, other: Elsewhere, name: string): Tenant {
	const { store, token: base } = service;
	const mark = markOf(name);
	const token = `${base}-secret-token-of-${name}`;
	const { id: accountId } = store.addAccount({ name: mark, tokens: [token] });
	return { name, token, accountId, ...addForm(service, other, accountId, name) };
}

/** A form of an account, with one response. */
function addForm({ store, url }: Service, other: Elsewhere, accountId: number, name: string) {
	const mark = markOf(name);
	const { id: formId } = store.addForm({
		name: mark,
		accountId,
		fields: [
			{ label: mark },
			{ label: 'Access token' },
			{ label: 'File', type: 'file_upload' },
			{ label: 'Link', description: mark },
		],
		settings: { description: mark },
	});
	const file = store.addFile({ name: 'a.txt', type: 'text/plain', data: Buffer.from(mark) });
	const { uuid: responseId } = store.addResponse(formId, {
		answers: {
			[mark]: mark,
			'Access token': mark,
			File: [`a.txt|/files/${file.id}/a.txt`],
			Link: [
				`x.csv|${url}/admin/export.csv`,
				`y.csv|${url}/api/v1/workspace`,
				`z.csv|${other.url}/z.csv`,
			],
		},
	});
	return { formId, responseId };
}

/** Values of the switches that an operation has, but for the one that asks for secrets. */
function switchesOf({
	properties,
	parameters,
}: OperationCase): fc.Arbitrary<Array<[string[], unknown]>> {
	const places = placesIn(properties).filter(
		({ property: { type, name, options = [] }, path }) =>
			['boolean', 'options', 'multiOptions'].includes(type) &&
			(type === 'boolean' || options.length > 0) &&
			name !== 'includeSecrets' &&
			!(path[0] in parameters),
	);
	const choices = places.map(({ property, path }) =>
		fc.option(
			fc.constantFrom(...valuesOf(property)).map((value) => [path, value] as [string[], unknown]),
			{ nil: undefined },
		),
	);
	return fc.tuple(...choices).map((chosen) => chosen.filter((one) => one !== undefined));
}

/** What goes wrong on the way: nothing, a reply that comes late, a request that hangs. */
const trouble = fc.constantFrom<Fault | FaultName | undefined>(
	undefined,
	slow(5_000),
	'silentBefore',
	'serverError',
);

/** Whose token an item brings, and whose form. */
const who = fc.tuple(fc.nat(NAMES.length - 1), fc.nat(NAMES.length - 1));

/** All that an item holds as text, with its files unpacked. */
function textOf(items: readonly INodeExecutionData[]): string {
	const files = items.flatMap(({ binary = {} }) =>
		Object.values(binary).map(({ data }) => Buffer.from(data, 'base64').toString()),
	);
	return JSON.stringify([items.map(({ json, error }) => [json, error?.message]), files]);
}

/** Whom the texts of an output give away, or whose secrets, beside the account that it is for. */
function leaksIn(text: string, tenants: readonly Tenant[], own: Tenant | undefined): string[] {
	const others = tenants.filter((tenant) => tenant !== own);
	const forbidden = [
		SECRET,
		...tenants.map(({ token }) => token),
		...others.map(({ name }) => markOf(name)),
	];
	return forbidden.filter((one) => text.includes(one));
}

/** Requests that carry a token that has no business there. */
function strayTokens(
	{ service, other }: { service: Service; other: Elsewhere },
	allowed: Set<string>,
) {
	const toApi = service.requests
		.filter(({ path }) => /^\/(forms\/|responses\/|response\/)/.test(path))
		.map(({ token, path }) => `${token} ${path.split('/')[2]}`)
		.filter((pair) => !allowed.has(pair));
	const toFiles = service.visits
		.filter(({ token, path }) => token !== undefined && !path.startsWith('/pdf/'))
		.map(({ path }) => path);
	const toOthers = other.visits
		.filter(({ headers }) => headers.authorization !== undefined)
		.map(({ url }) => url);
	return [...toApi, ...toFiles, ...toOthers];
}

const other = await elsewhere();

describe('in a world of several accounts, delays and planted secrets', () => {
	it.each(operationCases.map((one) => [one.name, one] as const))(
		'%s gives no item what is not its own, and sends each token only where it belongs',
		async (_name, operation) => {
			const run = fc.record({
				switches: switchesOf(operation),
				items: fc.array(who, { minLength: 2, maxLength: 5 }),
				trouble,
				continueOnFail: fc.boolean(),
			});
			await fc.assert(
				fc.asyncProperty(run, async ({ switches, items, trouble: fault, continueOnFail }) => {
					const { service, tenants } = await hostileService(other);
					other.visits.length = 0;
					try {
						const n8n = n8nFor({ accessToken: '={{ $json.token }}', baseUrl: service.url });
						const parameters = structuredClone(operation.parameters);
						for (const [path, value] of switches) set(parameters, path, value);
						if (fault) service.faults.set({ fault, times: 1 });
						const input = items.map(([token, owner]) =>
							inputOf(tenants[token], tenants[owner], service),
						);
						const result = await n8n.runNode(parameters, itemsOf(...input), { continueOnFail });
						const allowed = new Set(
							items.flatMap(([token, owner]) =>
								[tenants[owner].formId, tenants[owner].responseId].map(
									(id) => `${tenants[token].token} ${id}`,
								),
							),
						);
						expect(strayTokens({ service, other }, allowed)).toEqual([]);
						for (const [index, [token]] of items.entries()) {
							const own = result.items.filter(
								({ pairedItem }) => (pairedItem as { item: number }).item === index,
							);
							expect(leaksIn(withoutInput(own, input[index]), tenants, tenants[token])).toEqual([]);
						}
						expect(leaksIn(String(result.error?.message), tenants, undefined)).toEqual([]);
					} finally {
						await service.close();
					}
				}),
				{ numRuns: 12 },
			);
		},
	);
});

/** The JSON of an item with one account's token and another's form, for all that operations need. */
function inputOf(who: Tenant, { formId, responseId }: Tenant, { store }: Service): IDataObject {
	const [{ uuid }] = store.fields(formId);
	return {
		token: who.token,
		formId,
		responseId,
		answers: { [uuid]: 'an answer' },
		settings: { seo_title: 'a title' },
	};
}

/** The text of output items without what their input had, which an error item shows again. */
function withoutInput(items: readonly INodeExecutionData[], input: IDataObject): string {
	const rest = items.map((item) => ({
		...item,
		json: Object.fromEntries(Object.entries(item.json).filter(([name]) => name !== 'token')),
	}));
	return textOf(rest).replaceAll(String(input.token), '');
}

describe('the trigger in that world', () => {
	it('emits nothing of another account and no secret, and sends its token to the API alone', async () => {
		const { properties } = nodeOf(typeOf('formServiceTrigger')).description;
		const events = properties.find(({ name }) => name === 'events')
			?.options as INodePropertyOptions[];
		const given: INodeParameters = {
			events: events.map(({ value }) => value),
			options: { emitExisting: true },
		};
		const trigger = { properties, parameters: given } as OperationCase;
		const run = fc.record({
			switches: switchesOf(trigger),
			tenant: fc.nat(NAMES.length - 1),
			trouble,
		});
		await fc.assert(
			fc.asyncProperty(run, async ({ switches, tenant, trouble: fault }) => {
				const { service, tenants } = await hostileService(other);
				other.visits.length = 0;
				try {
					const { token, formId, responseId } = tenants[tenant];
					const n8n = n8nFor({ accessToken: token, baseUrl: service.url });
					const parameters: INodeParameters = {
						...given,
						formId: locator(formId),
						formIds: [formId],
					};
					for (const [path, value] of switches) set(parameters, path, value);
					if (fault) service.faults.set({ fault, times: 1 });
					const staticData = {};
					for (const mode of ['trigger', 'trigger', 'manual'] as const) {
						const polled = await n8n
							.runPoll(parameters, { mode, staticData })
							.catch((error: Error) => error);
						const text = polled instanceof Error ? polled.message : textOf(polled.items ?? []);
						expect(leaksIn(text, tenants, tenants[tenant])).toEqual([]);
						for (const { accountId, name } of tenants) addForm(service, other, accountId, name);
						await time.sleep(3_600_000);
					}
					const own = service.store.forms(tenants[tenant].accountId).map(({ id }) => id);
					const allowed = new Set([...own, responseId].map((id) => `${token} ${id}`));
					expect(strayTokens({ service, other }, allowed)).toEqual([]);
				} finally {
					await service.close();
				}
			}),
			{ numRuns: 25 },
		);
	});
});
