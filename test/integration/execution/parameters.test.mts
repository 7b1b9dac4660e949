import { merge, set } from 'lodash';
import type { INodeParameters, INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { nodeOf } from '../n8n/built.mts';
import { inputFor, operationCases } from '../resources/operations.mts';
import { running } from '../world.mts';

/** A parameter, and the path of its value in the parameters of a node. */
type Place = { property: INodeProperties; path: string[] };

/** The parameters of a list, and those inside collections. The first entry of a list of conditions has index 0. */
function placesIn(properties: readonly INodeProperties[], above: string[] = []): Place[] {
	return properties.flatMap((property) => {
		const { name, type, options = [] } = property;
		const path = [...above, name];
		if (type === 'collection') return placesIn(options as INodeProperties[], path);
		if (type !== 'fixedCollection') return [{ property, path }];
		const [entry] = options as INodePropertyCollection[];
		return placesIn(entry.values, [...path, entry.name, '0']);
	});
}

/** What goes into no request: n8n's own schedule, and what only narrows a list in the editor. */
const NOT_READ = ['The trigger pollTimes', 'Response: Get PDF formId'];

const trigger = {
	name: 'The trigger',
	parameters: { formId: locator(demoForms.contact), formIds: [demoForms.contact] },
	properties: nodeOf('formServiceTrigger').description.properties,
};

/** Values that a parameter of a type cannot take, whatever it means. */
const UNFIT: Partial<Record<INodeProperties['type'], unknown[]>> = {
	boolean: ['perhaps', 2, {}, null],
	number: ['many', 0, 1.5, {}],
	options: ['nonsense', 7, {}],
	multiOptions: [{ a: 1 }, 7, [''], ''],
	dateTime: ['Room 5', {}, null],
	json: ['nonsense', 7],
	string: [{ a: 1 }],
	resourceLocator: ['../workspace', { a: 1 }],
};

/** A name that only the service can know is found to be wrong when its list has been read. */
const unfitFor = ({ type, typeOptions }: INodeProperties) =>
	type === 'options' && typeOptions?.loadOptionsMethod !== undefined ? [{}] : (UNFIT[type] ?? []);

/** What the editor needs to show a parameter, unless it is the default. */
const SHOWN_WITH: Record<string, INodeParameters> = {
	binaryPropertyName: { download: true },
	preview: { settings: { seo_title: 'x' } },
	allowMissingAnswers: { inputMode: 'auto' },
	settings: { inputMode: 'fields' },
	'options.clearText': { inputMode: 'auto' },
	clear: { inputMode: 'fields' },
	abandonedAfterHours: { events: ['responseAbandoned'] },
	formIds: { watch: 'several' },
	exceptFormIds: { watch: 'all' },
	0: { filters: { conditions: { conditions: [{ field: 'Name', operator: 'is', value: 'x' }] } } },
};

/** What the node gets: what it needs and, as an expression, the value of one parameter. */
function inputWith(needed: INodeParameters, { property, path }: Place, value: unknown) {
	const shown = [...path, path.join('.')].map((name) => SHOWN_WITH[name]);
	const given: INodeParameters = merge({}, needed, ...shown);
	const expression = `={{ ${JSON.stringify(value)} }}`;
	return set(given, path, property.type === 'resourceLocator' ? locator(expression) : expression);
}

const { service, n8n } = await running();

async function findError(given: INodeParameters): Promise<Error | undefined> {
	if (given.resource !== undefined)
		return (await n8n.runNode(given, inputFor(service).slice(1))).error;
	return await n8n.runPoll(given).then(
		() => undefined,
		(error: Error) => error,
	);
}

describe.each([...operationCases, trigger])('$name refuses, and sends nothing for,', (one) => {
	const tries = placesIn(one.properties)
		.filter(({ path }) => !NOT_READ.includes(`${one.name} ${path[0]}`))
		.filter(({ property }) => property.displayOptions?.show?.['@tool'] === undefined)
		.flatMap((place) =>
			unfitFor(place.property).map((value) => ({ path: place.path.join('.'), value, place })),
		);

	it.each(tries)('$path = $value', async ({ place, value }) => {
		const error = await findError(inputWith(one.parameters, place, value));
		expect(error?.message.toLowerCase()).toContain(place.property.displayName.toLowerCase());
		expect(service.requests).toEqual([]);
	});
});
