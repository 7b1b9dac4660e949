import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

/** The parameters of a node as its description lists them, for tests that try each of them. */

/** A parameter, and the path of its value in the parameters of a node. The first entry of a list has index 0. */
export type Place = { property: INodeProperties; path: string[] };

/** Types that show something and hold no value. */
const WITHOUT_VALUE = ['notice', 'hidden', 'callout', 'button'];

/** Every parameter of a list of parameters, with those inside collections. */
export function placesIn(properties: readonly INodeProperties[], above: string[] = []): Place[] {
	return properties
		.filter(({ type }) => !WITHOUT_VALUE.includes(type))
		.flatMap((property) => {
			const path = [...above, property.name];
			return [{ property, path }, ...innerPlaces(property, path)];
		});
}

function innerPlaces(property: INodeProperties, path: string[]): Place[] {
	const { type, options = [], typeOptions } = property;
	if (type === 'collection') return placesIn(options as INodeProperties[], path);
	if (type !== 'fixedCollection') return [];
	return (options as INodePropertyCollection[]).flatMap(({ name, values }) =>
		placesIn(values, [...path, name, ...(typeOptions?.multipleValues ? ['0'] : [])]),
	);
}
