import { expect, it } from 'vitest';
import {
	clearOptions,
	settingFields,
} from '../../../../nodes/FormService/resources/setting/fields.ts';
import { settingRules } from '../../../service/specification/settingsRules.mts';

it('The settings to clear are those that can be null', () => {
	const nullable = Object.keys(settingRules).filter((name) => settingRules[name].nullable);
	expect(clearOptions.map(({ value }) => value).toSorted()).toEqual(nullable.toSorted());
});

const toOptions = (...choices: Array<[string, unknown]>) => ({
	type: 'options',
	options: choices.map(([name, value]) => ({ name, value })),
});

it.each<[string, object]>([
	['seo_title', { description: 'Text of at most 255 characters', typeOptions: { rows: 1 } }],
	['seo_description', { typeOptions: { rows: 4 } }],
	['after_message', { typeOptions: { rows: 4 } }],
	['is_closed', toOptions(['Leave Unchanged', ''], ['No', false], ['Yes', true])],
])('The field of %s shows what it takes: %j', (wanted, shown) => {
	expect(settingFields.find(({ name }) => name === wanted)).toMatchObject(shown);
});
