import { expect, it } from 'vitest';
import {
	clearOptions,
	settingFields,
} from '../../../../nodes/FormService/resources/setting/fields.ts';
import { settingRules } from '../../../service/specification/settingsRules.mts';

const fieldOf = (wanted: string) => settingFields.find(({ name }) => name === wanted)!;

it('The settings to update and to clear are listed by their names in the editor', () => {
	for (const names of [
		settingFields.map(({ displayName }) => displayName.toLowerCase()),
		clearOptions.map(({ name }) => name.toLowerCase()),
	]) {
		expect(names).toEqual(names.toSorted());
	}
});

it('The settings to clear are those that can be null', () => {
	const nullable = Object.keys(settingRules).filter((name) => settingRules[name].nullable);
	expect(clearOptions.map(({ value }) => value).toSorted()).toEqual(nullable.toSorted());
});

it.each([
	['after_redirect_delay', ' (a whole number from 0 to 60)', { typeOptions: { rows: 1 } }],
	['responses_limit', ' (a whole number of at least 1)', { typeOptions: { rows: 1 } }],
	['seo_title', ' (text of at most 255 characters)', { typeOptions: { rows: 1 } }],
	['seo_description', ' (text of at most 500 characters)', { typeOptions: { rows: 4 } }],
	['after_message', ' after a response is submitted', { typeOptions: { rows: 4 } }],
])('The field of %s says what it takes: …%s', (name, end, widget) => {
	expect(fieldOf(name)).toMatchObject({ type: 'string', ...widget });
	expect(fieldOf(name).description?.endsWith(end)).toBe(true);
});

it.each([
	['is_closed', ['Leave Unchanged', 'No', 'Yes'], ['', false, true]],
	[
		'captcha',
		['ALTCHA', 'Leave Unchanged', 'None', 'reCAPTCHA', 'Turnstile'],
		['altcha', '', 'none', 'recaptcha', 'turnstile'],
	],
])('The choices of %s are %j', (name, names, values) => {
	const options = names.map((one, index) => ({ name: one, value: values[index] }));
	expect(fieldOf(name)).toMatchObject({ type: 'options', options });
});
