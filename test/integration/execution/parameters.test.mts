import { merge, set } from 'lodash';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { nodeOf } from '../n8n/package.mts';
import { inputFor, operationCases } from '../resources/operations.mts';
import { placesIn, type Place } from '../resources/parameters.mts';
import { running } from '../world.mts';

/** One operation, or the trigger, with what it needs, and its parameters. */
type Case = { name: string; needed: INodeParameters; places: Place[] };

/** What only narrows a list in the editor, and goes into no request. */
const FOR_LISTS_ONLY = 'Response: Get PDF formId';

const { properties: ofTrigger } = nodeOf('formServiceTrigger').description;
const trigger: Case = {
	name: 'The trigger',
	needed: { formId: locator(demoForms.contact), formIds: [demoForms.contact] },
	places: placesIn(ofTrigger.filter(({ name }) => name !== 'pollTimes')),
};
const operations = operationCases.map(
	({ name, parameters: needed, properties }): Case => ({
		name,
		needed,
		places: placesIn(properties).filter(
			({ property, path }) =>
				property.displayOptions?.show?.['@tool'] === undefined &&
				`${name} ${path.join('.')}` !== FOR_LISTS_ONLY,
		),
	}),
);

/** Values that a parameter of a type cannot take, whatever it means. */
const UNFIT: Partial<Record<INodeProperties['type'], unknown[]>> = {
	boolean: ['perhaps', 2, {}],
	number: ['many', -1.5, {}],
	options: ['nonsense', 7, {}],
	multiOptions: [{ a: 1 }, 7, [''], ''],
	dateTime: ['Room 5', {}],
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
	emitSince: { options: { emitExisting: 'since' } },
	allowMissingAnswers: { inputMode: 'auto' },
	settings: { inputMode: 'fields' },
	clear: { inputMode: 'fields' },
	abandonedAfterHours: { events: ['responseAbandoned'] },
	formIds: { watch: 'several' },
	exceptFormIds: { watch: 'all' },
};

/** A condition in which a value replaces one part. */
const CONDITION = { field: 'Name', operator: 'is', value: 'x' };

/** What the node gets: what it needs and, as an expression, the value of one parameter. */
function inputWith({ needed }: Case, { property, path }: Place, value: unknown): INodeParameters {
	const shown = [...path, path.join('.')].map((name) => SHOWN_WITH[name]);
	const given: INodeParameters = merge({}, needed, ...shown);
	if (path[1] === 'conditions') given.filters = { conditions: { conditions: [{ ...CONDITION }] } };
	const expression = `={{ ${JSON.stringify(value)} }}`;
	return set(given, path, property.type === 'resourceLocator' ? locator(expression) : expression);
}

const { service, n8n } = await running();

async function findError(given: INodeParameters): Promise<Error | undefined> {
	if (given.resource !== undefined) {
		return (await n8n.runNode(given, inputFor(service).slice(1))).error;
	}
	return await n8n.runPoll(given).then(
		() => undefined,
		(reason: Error) => reason,
	);
}

describe.each([...operations, trigger])('$name refuses, and sends nothing for,', (one) => {
	const tries = one.places.flatMap((place) =>
		unfitFor(place.property).map((value) => ({ path: place.path.join('.'), value, place })),
	);

	it.each(tries)('$path = $value', async ({ place, value }) => {
		const error = await findError(inputWith(one, place, value));
		expect(error?.message.toLowerCase()).toContain(place.property.displayName.toLowerCase());
		expect(service.requests).toEqual([]);
	});
});
