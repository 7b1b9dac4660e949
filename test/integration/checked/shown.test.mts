import { get, isEqual, set } from 'lodash';
import type { INodeParameters, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { nodeOf, typeOf } from '../n8n/package.mts';
import {
	asRun,
	combinationsOf,
	completed,
	isShown,
	placesIn,
	sampleOf,
	statesOf,
	valuesOf,
	type Place,
} from '../tables/parameters.mts';
import { operationCases } from '../tables/operations.mts';

const { description: action } = nodeOf(typeOf('formService'));
const { description: trigger } = nodeOf(typeOf('formServiceTrigger'));

const nodes: Array<[string, INodeTypeDescription, INodeProperties[], INodeParameters]> = [
	...operationCases.map(
		({ name, resource, operation, properties }) =>
			[name, action, properties, { resource, operation }] as (typeof nodes)[number],
	),
	['the trigger', trigger, trigger.properties, {}],
];

/** Every set of values of the parameters beside one in its collection that decide whether it is shown. */
function siblingStates(
	{ property, path }: Place,
	places: Place[],
): Array<Array<[string[], unknown]>> {
	if (path.length === 1) return [[]];
	const conditions = { ...property.displayOptions?.show, ...property.displayOptions?.hide };
	const siblings = places.filter(
		(one) =>
			one.property.name in conditions && one.path.slice(0, -1).join() === path.slice(0, -1).join(),
	);
	const choices = siblings.map((one) =>
		valuesOf(one.property).map((value) => [one.path, value] as [string[], unknown]),
	);
	return combinationsOf(choices);
}

/** Whether the editor shows a parameter and all that it is inside of, in a node with these values. */
function isVisible(
	description: INodeTypeDescription,
	values: INodeParameters,
	{ path }: Place,
	places: Place[],
): boolean {
	return places
		.filter((one) => one.path.every((name, depth) => name === path[depth]))
		.every((one) => {
			const around = one.path.length === 1 ? values : get(values, one.path.slice(0, -1));
			return isShown(description, values, around as INodeParameters, one.property);
		});
}

/** What a running workflow must have of a value: all of it, of a collection that it is there. */
const comparable = ({ property }: Place, value: unknown) =>
	/collection$/i.test(property.type) ? value !== undefined : value;

/** The parameters that the editor shows with a value that a running workflow does not have. */
function droppedIn(
	description: INodeTypeDescription,
	properties: INodeProperties[],
	fixed: INodeParameters,
): string[] {
	const places = placesIn(properties).filter(({ path }) => !(path[0] in fixed));
	const dropped = new Set<string>();
	for (const state of statesOf(properties, fixed)) {
		for (const place of places) {
			for (const siblings of siblingStates(place, places)) {
				const { property, path } = place;
				const stored = structuredClone(state);
				for (const [at, value] of siblings) set(stored, at, value);
				if (!(path.length === 1 && path[0] in state)) set(stored, path, sampleOf(property));
				const values = { ...completed(description, stored), ...stored };
				if (!isVisible(description, values, place, places)) continue;
				const ran = comparable(place, get(asRun(description, stored), path));
				if (!isEqual(ran, comparable(place, get(stored, path)))) dropped.add(path.join('.'));
			}
		}
	}
	return [...dropped];
}

describe('what the editor shows is what runs', () => {
	it.each(nodes)('in %s', (_name, description, properties, fixed) => {
		expect(droppedIn(description, properties, fixed)).toEqual([]);
	});
});
