import { isEqual, sortBy } from 'lodash';
import type {
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
	NodeParameterValueType,
} from 'n8n-workflow';
import { locator } from '../harness.mts';
import { workflow as n8n } from '../n8n/core.mts';

/** A parameter of a node and where its value is, also inside collections. */
export type Place = {
	property: INodeProperties;
	/** Names from the top of the parameters down; the items of a list count as its first one. */
	path: string[];
};

/** Types that show something and hold no value. */
const WITHOUT_VALUE = ['notice', 'hidden', 'callout', 'button'];

const isGroup = (option: unknown): option is INodePropertyCollection =>
	(option as INodePropertyCollection).values !== undefined;

/** Every parameter of a list of parameters, with those inside collections. */
export function placesIn(properties: readonly INodeProperties[], above: string[] = []): Place[] {
	return properties
		.filter(({ type }) => !WITHOUT_VALUE.includes(type))
		.flatMap((property) => {
			const path = [...above, property.name];
			return [{ property, path }, ...innerPlaces(property, path)];
		});
}

function innerPlaces({ type, options, typeOptions }: INodeProperties, path: string[]): Place[] {
	if (type === 'collection') return placesIn((options ?? []) as INodeProperties[], path);
	if (type !== 'fixedCollection') return [];
	return (options ?? []).filter(isGroup).flatMap(({ name, values }) => {
		const entry = typeOptions?.multipleValues ? [name, '0'] : [name];
		return placesIn(values, [...path, ...entry]);
	});
}

/** The values that a parameter of a closed set can have, and a few of those of an open one. */
export function valuesOf(property: INodeProperties): NodeParameterValueType[] {
	// the default comes first: the first states of a node are the plainest
	return sortBy(possibleValues(property), (value) => !isEqual(value, property.default));
}

function possibleValues(property: INodeProperties): NodeParameterValueType[] {
	const choices = ((property.options ?? []) as INodePropertyOptions[]).map(({ value }) => value);
	switch (property.type) {
		case 'boolean':
			return [false, true];
		case 'options':
			return choices;
		case 'multiOptions':
			return [[], ...choices.map((choice) => [choice]), choices] as NodeParameterValueType[];
		case 'resourceLocator':
			return [locator(''), locator('aB3xY9')] as unknown as NodeParameterValueType[];
		default:
			return [property.default, sampleOf(property)];
	}
}

/** A value that differs from the parameter's default. */
export function sampleOf(property: INodeProperties): NodeParameterValueType {
	const { type, default: standard, options = [] } = property;
	switch (type) {
		case 'boolean':
			return standard !== true;
		case 'number':
			return Number(standard) + 1;
		case 'options':
			return (
				(options as INodePropertyOptions[])
					.map(({ value }) => value)
					.findLast((value) => value !== standard) ?? 'other'
			);
		case 'multiOptions':
			return [(options as INodePropertyOptions[])[0]?.value ?? 'other'] as string[];
		case 'resourceLocator':
			return locator('aB3xY9') as unknown as NodeParameterValueType;
		case 'resourceMapper':
			return { mappingMode: 'defineBelow', value: { a: 'b' }, schema: [], matchingColumns: [] };
		case 'json':
			return '{"a": 1}';
		case 'dateTime':
			return '2026-01-31T12:00:00.000Z';
		case 'collection':
			return samplesOf((options as INodeProperties[]).slice(0, 1));
		case 'fixedCollection': {
			const { name, values } = options.filter(isGroup)[0];
			const entry = filled(values);
			return { [name]: property.typeOptions?.multipleValues ? [entry] : entry } as INodeParameters;
		}
		default:
			return 'text';
	}
}

/** An entry as a person fills it in: with samples where nothing is given by default. */
const filled = (properties: readonly INodeProperties[]): INodeParameters =>
	Object.fromEntries(
		properties.map((property) => [property.name, property.default || sampleOf(property)]),
	) as INodeParameters;

const samplesOf = (properties: readonly INodeProperties[]): INodeParameters =>
	Object.fromEntries(properties.map((property) => [property.name, sampleOf(property)]));

/** The names of the parameters that decide which others are shown, as `displayOptions` writes them. */
function namesOfDeciders(properties: readonly INodeProperties[]): Set<string> {
	const conditions = properties.flatMap(({ displayOptions: { show, hide } = {} }) => [
		...Object.keys(show ?? {}),
		...Object.keys(hide ?? {}),
	]);
	return new Set(conditions.filter((name) => !name.startsWith('@')));
}

/** The parameters at the top that decide which others are shown, wherever those are. */
function decidersOf(properties: readonly INodeProperties[]): INodeProperties[] {
	const all = placesIn(properties);
	const atTop = namesOfDeciders(properties);
	const inside = namesOfDeciders(
		all.filter(({ path }) => path.length > 1).map(({ property }) => property),
	);
	const names = new Set([
		...[...atTop].map((name) => name.replace(/^\//, '').split('.')[0]),
		...[...inside]
			.filter((name) => name.startsWith('/'))
			.map((name) => name.slice(1).split('.')[0]),
	]);
	const first = new Map(properties.toReversed().map((property) => [property.name, property]));
	return [...names].flatMap((name) => first.get(name) ?? []);
}

/** Every combination of one of each list. */
export function combinationsOf<T>(lists: ReadonlyArray<readonly T[]>): T[][] {
	return lists.reduce<T[][]>(
		(combined, list) => combined.flatMap((one) => list.map((value) => [...one, value])),
		[[]],
	);
}

/** Every set of values of the parameters at the top that decide which parameters are shown. */
export function statesOf(properties: INodeProperties[], fixed: INodeParameters): INodeParameters[] {
	const deciders = decidersOf(properties).filter(({ name }) => !(name in fixed));
	const choices = deciders.map((property) =>
		valuesOf(property).map((value) => [property.name, value] as const),
	);
	return combinationsOf(choices).map((chosen) => ({ ...fixed, ...Object.fromEntries(chosen) }));
}

/** The stored parameters of a node as the editor completes them, shown or not. */
export function completed(
	description: INodeTypeDescription,
	stored: INodeParameters,
): INodeParameters {
	return (
		n8n.NodeHelpers.getNodeParameters(
			description.properties,
			stored,
			true,
			true,
			null,
			description,
		) ?? {}
	);
}

/** The parameters of a node as a workflow that runs has them: those that are shown. */
export function asRun(description: INodeTypeDescription, stored: INodeParameters): INodeParameters {
	return (
		n8n.NodeHelpers.getNodeParameters(
			description.properties,
			stored,
			true,
			false,
			null,
			description,
		) ?? {}
	);
}

/** Whether the editor shows a parameter, in a node with these values. */
export function isShown(
	description: INodeTypeDescription,
	values: INodeParameters,
	around: INodeParameters,
	property: INodeProperties,
): boolean {
	return n8n.NodeHelpers.displayParameter(around, property, null, description, values);
}
