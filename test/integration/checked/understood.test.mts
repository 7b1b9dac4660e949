import { get, set } from 'lodash';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { nodeOf, typeOf } from '../n8n/package.mts';
import { inputFor, operationCases } from '../tables/operations.mts';
import { asRun, placesIn, sampleOf, statesOf, type Place } from '../tables/parameters.mts';
import { withWorld, type World } from '../world.mts';

/** Values that a parameter of a type cannot take, whatever it means. */
const unfit: Partial<Record<INodeProperties['type'], unknown[]>> = {
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
	type === 'options' && typeOptions?.loadOptionsMethod !== undefined ? [{}] : (unfit[type] ?? []);

/** As an expression, which the editor cannot check. */
const expressionOf = (value: unknown) => `={{ ${JSON.stringify(value)} }}`;

const given = ({ property }: Place, value: unknown) =>
	property.type === 'resourceLocator' ? locator(expressionOf(value)) : expressionOf(value);

/** What only narrows a list in the editor, and goes into no request. */
const forListsOnly = ['Response: Get PDF: formId'];

type Tried = { place: Place; value: unknown; parameters: INodeParameters };

/** Parameters of a node with one value that does not fit, for each parameter that runs and each such value. */
function trials(
	type: string,
	properties: INodeProperties[],
	fixed: INodeParameters,
	needed: INodeParameters,
): Tried[] {
	const { description } = nodeOf(typeOf(type));
	const others = statesOf(properties, fixed).map((state) => ({ ...state, ...needed, ...fixed }));
	const switches = statesOf(properties, fixed).map((state) => ({ ...needed, ...state, ...fixed }));
	const states = [{ ...needed, ...fixed }, ...others, ...switches];
	const places = placesIn(properties).filter(({ path }) => !(path[0] in fixed));
	return places.flatMap((place) =>
		unfitFor(place.property).flatMap((value) => {
			const candidates = states.map((state) => {
				const parameters = structuredClone(state);
				for (const { property, path } of around(place, places))
					set(parameters, path, sampleOf(property));
				return set(parameters, place.path, given(place, value));
			});
			const parameters = candidates.find(
				(candidate) => get(asRun(description, candidate), place.path) !== undefined,
			);
			return parameters === undefined ? [] : [{ place, value, parameters }];
		}),
	);
}

/** The lists of entries that a parameter is inside of. */
const around = ({ path }: Place, places: Place[]) =>
	places.filter(
		(one) =>
			one.property.type === 'fixedCollection' &&
			one.path.length < path.length &&
			one.path.every((name, depth) => name === path[depth]),
	);

/** What was wrong with how a trial came out, if anything. */
function problemOf(
	{ place, value }: Tried,
	{ service }: World,
	error: Error | undefined,
): string | undefined {
	const what = `${place.path.join('.')} = ${JSON.stringify(value)}`;
	if (error === undefined) return `${what} was taken`;
	if (service.requests.length > 0) return `${what} was found only after a request`;
	const named = error.message.toLowerCase().includes(place.property.displayName.toLowerCase());
	if (!named) return `${what}: ${error.message}`;
	return undefined;
}

describe('what cannot be understood is an error before anything is sent, and never silently off', () => {
	it.each(operationCases.map((one) => [one.name, one] as const))('%s', async (_name, operation) => {
		const { resource, operation: name, parameters, properties } = operation;
		const all = trials('formService', properties, { resource, operation: name }, parameters).filter(
			({ place }) => !forListsOnly.includes(`${_name}: ${place.path.join('.')}`),
		);
		expect(all.length).toBeGreaterThan(0);
		await withWorld(async (world) => {
			const problems: unknown[] = [];
			for (const trial of all) {
				world.service.requests.length = 0;
				const input = inputFor(world.service).slice(1);
				const { error } = await world.n8n.runNode(trial.parameters, input);
				problems.push(problemOf(trial, world, error));
			}
			expect(problems.filter(Boolean)).toEqual([]);
		});
	});

	it('the trigger', async () => {
		const { properties } = nodeOf(typeOf('formServiceTrigger')).description;
		const needed = { formId: locator(demoForms.contact), formIds: [demoForms.contact] };
		const all = trials('formServiceTrigger', properties, {}, needed);
		expect(all.length).toBeGreaterThan(0);
		await withWorld(async (world) => {
			const problems: unknown[] = [];
			for (const trial of all) {
				world.service.requests.length = 0;
				const polled = world.n8n.runPoll(trial.parameters);
				const error = await polled.then(
					() => undefined,
					(reason: Error) => reason,
				);
				problems.push(problemOf(trial, world, error));
			}
			expect(problems.filter(Boolean)).toEqual([]);
		});
	});
});
