import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { running } from '../world.mts';
import { begin, HOUR_MS, namesIn, pollFor, tick } from './watching.mts';

const world = await running();
const { store } = world.service;

const condition = (field: string, value: unknown, operator = 'is') => ({ field, operator, value });

const filters = (...conditions: object[]) =>
	({ filters: { conditions: { conditions } } }) as unknown as INodeParameters;

describe('A condition', () => {
	it('marks responses as seen that do not meet it', async () => {
		const { submit, trigger } = await begin(world);
		submit('Ada');
		submit('Grace');
		const ada = await trigger.poll(tick, filters(condition('Name', 'ada')));
		expect(namesIn(ada)).toEqual(['Ada']);
		expect(await trigger.poll({}, filters(condition('Name', 'grace')))).toEqual([]);
		expect(await trigger.poll()).toEqual([]);
	});

	it('delivers a response whose answer it cannot compare', async () => {
		const { submit, trigger } = await begin(world);
		submit('31/12/2026');
		const after = filters(condition('Name', '2026-01-31', 'after'));
		expect(namesIn(await trigger.poll(tick, after))).toEqual(['31/12/2026']);
	});

	it('on a field that the form does not have is an error of the test event', async () => {
		const { submit, trigger } = await begin(world);
		submit('Ada');
		const testing = trigger.poll({ mode: 'manual' }, filters(condition('Nmae', 'Ada')));
		await expect(testing).rejects.toMatchObject({
			message: 'The form has no field "Nmae"',
			description: expect.stringMatching(
				/"Name"\. Responses wait until the filter is corrected\.$/,
			),
		});
	});

	it('on a field that the only form has no more delays responses, and delivers when the field has its name again', async () => {
		const { form, trigger } = await begin(world, filters(condition('Name', 'Ada')));
		const [field] = store.fields(form);
		field.label = 'Full name';
		store.addResponse(form, { answers: { 'Full name': 'Ada' } });
		const { names, errors } = await pollFor(trigger, 8, HOUR_MS);
		expect(names).toEqual([]);
		expect(errors[0].message).toBe('The form has no field "Name"');
		field.label = 'Name';
		expect((await pollFor(trigger, 2, HOUR_MS)).names).toEqual(['Ada']);
	});
});
