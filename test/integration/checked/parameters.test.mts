import { set } from 'lodash';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { nodeOf, typeOf } from '../n8n/package.mts';
import { inputFor, operationCases } from '../tables/operations.mts';
import { placesIn, type Place } from '../tables/parameters.mts';
import { withWorld, type World } from '../world.mts';

/** One operation, or the trigger, with what it needs, and its parameters. */
type Case = { name: string; needed: INodeParameters; places: Place[] };

/** What only narrows a list in the editor, and goes into no request. */
const FOR_LISTS_ONLY = 'Response: Get PDF formId';

const trigger: Case = {
	name: 'The trigger',
	needed: { formId: locator(demoForms.contact), formIds: [demoForms.contact] },
	places: placesIn(nodeOf(typeOf('formServiceTrigger')).description.properties),
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

const CONDITION = { field: 'Name', operator: 'is', value: 'x' };

/** Parameters with a value, as an expression, and with what the editor needs to show its parameter. */
function giveValue({ needed, places }: Case, { property, path }: Place, value: unknown) {
	const given = structuredClone(needed);
	if (path.at(-2) === '0') set(given, path.slice(0, -1), { ...CONDITION });
	const above = places.filter((one) => one.path.every((name, index) => path[index] === name));
	for (const one of above) {
		const { show = {} } = one.property.displayOptions ?? {};
		for (const [name, [first]] of Object.entries(show as Record<string, unknown[]>)) {
			const decider = name.startsWith('/') ? [name.slice(1)] : [...one.path.slice(0, -1), name];
			set(given, decider, name.endsWith('events') ? [first] : first);
		}
	}
	const expression = `={{ ${JSON.stringify(value)} }}`;
	return set(given, path, property.type === 'resourceLocator' ? locator(expression) : expression);
}

async function findError({ service, n8n }: World, given: INodeParameters) {
	if (given.resource === undefined) {
		return await n8n.runPoll(given).then(
			() => undefined,
			(reason: Error) => reason,
		);
	}
	return (await n8n.runNode(given, inputFor(service).slice(1))).error;
}

describe.each([...operations, trigger])('$name', (one) => {
	it('refuses by its name each parameter with a value that it cannot take, before anything is sent', async () => {
		await withWorld(async (world) => {
			const { requests } = world.service;
			const tries = one.places.flatMap((place) =>
				unfitFor(place.property).map((value) => ({ place, value })),
			);
			expect(tries).not.toEqual([]);
			const taken: string[] = [];
			for (const { place, value } of tries) {
				requests.length = 0;
				const error = await findError(world, giveValue(one, place, value));
				const message = error?.message.toLowerCase() ?? 'no error';
				if (message.includes(place.property.displayName.toLowerCase()) && requests.length === 0) {
					continue;
				}
				taken.push(`${place.path.join('.')} = ${JSON.stringify(value)}: ${message}`);
			}
			expect(taken).toEqual([]);
		});
	});
});
