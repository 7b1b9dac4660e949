import { get, set } from 'lodash';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { nodeOf, typeOf } from '../n8n/package.mts';
import { inputFor, operationCases } from '../tables/operations.mts';
import {
	asRun,
	isForTools,
	placesIn,
	revealing,
	sampleOf,
	type Place,
} from '../tables/parameters.mts';
import { withWorld, type World } from '../world.mts';

/** A node with all parameters of one operation, or the trigger. */
type Case = {
	name: string;
	type: 'formService' | 'formServiceTrigger';
	/** The parameters to try. */
	places: Place[];
	/** What the node needs. */
	needed: INodeParameters;
	/** Runs it, and gives the error. */
	run: (world: World, parameters: INodeParameters) => Promise<Error | undefined>;
};

/** What only narrows a list in the editor, and goes into no request. */
const FOR_LISTS_ONLY = ['Response: Get PDF: formId'];

const cases: Case[] = operationCases.map(
	({ name, resource, operation, parameters, properties }) => ({
		name,
		type: 'formService',
		places: placesIn(properties)
			.filter((place) => !isForTools(place))
			.filter(({ path }) => !FOR_LISTS_ONLY.includes(`${name}: ${path.join('.')}`)),
		needed: { ...parameters, resource, operation },
		run: async ({ service, n8n }, given) =>
			(await n8n.runNode(given, inputFor(service).slice(1))).error,
	}),
);
cases.push({
	name: 'the trigger',
	type: 'formServiceTrigger',
	places: placesIn(nodeOf(typeOf('formServiceTrigger')).description.properties),
	needed: { formId: locator(demoForms.contact), formIds: [demoForms.contact] },
	run: async ({ n8n }, given) =>
		await n8n.runPoll(given).then(
			() => undefined,
			(reason: Error) => reason,
		),
});

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

/** As an expression, which the editor cannot check. */
function asExpression({ property }: Place, value: unknown) {
	const expression = `={{ ${JSON.stringify(value)} }}`;
	return property.type === 'resourceLocator' ? locator(expression) : expression;
}

describe.each(cases)('$name', ({ type, places, needed, run }) => {
	const { description } = nodeOf(typeOf(type));

	it('has in a running workflow every parameter that the editor shows', () => {
		const lost = places.filter(({ property, path }) => {
			const stored = set(revealing({ property, path }, places, needed), path, sampleOf(property));
			return (
				!/collection/i.test(property.type) && get(asRun(description, stored), path) === undefined
			);
		});
		expect(lost.map(({ path }) => path.join('.'))).toEqual([]);
	});

	it('refuses a value that a parameter cannot take, by its name, before anything is sent', async () => {
		await withWorld(async (world) => {
			const problems: string[] = [];
			let tried = 0;
			for (const place of places) {
				for (const value of unfitFor(place.property)) {
					world.service.requests.length = 0;
					const given = revealing(place, places, needed);
					const error = await run(world, set(given, place.path, asExpression(place, value)));
					const { displayName } = place.property;
					const isNamed = error?.message.toLowerCase().includes(displayName.toLowerCase());
					const isEarly = world.service.requests.length === 0;
					const said = error?.message ?? 'was taken';
					if (!isNamed || !isEarly) {
						problems.push(`${place.path.join('.')} = ${JSON.stringify(value)}: ${said}`);
					}
					tried++;
				}
			}
			expect(problems).toEqual([]);
			expect(tried).toBeGreaterThan(0);
		});
	});
});
