import { expect, it } from 'vitest';
import {
	clearOptions,
	settingFields,
} from '../../../../nodes/FormService/resources/setting/fields.ts';
import { settingRules } from '../../../service/specification/settingsRules.mts';

const fieldOf = (wanted: string) => settingFields.find(({ name }) => name === wanted)!;

it('The settings are listed by their names in the editor, and those to clear can be null', () => {
	for (const names of [
		settingFields.map(({ displayName }) => displayName.toLowerCase()),
		clearOptions.map(({ name }) => name.toLowerCase()),
	]) {
		expect(names).toEqual(names.toSorted());
	}
	const nullable = Object.keys(settingRules).filter((name) => settingRules[name].nullable);
	expect(clearOptions.map(({ value }) => value).toSorted()).toEqual(nullable.toSorted());
});

it.each([
	['after_redirect_delay', ' (a whole number from 0 to 60)', { rows: 1 }],
	['seo_title', ' (text of at most 255 characters)', { rows: 1 }],
	['seo_description', ' (text of at most 500 characters)', { rows: 4 }],
	['after_message', ' after a response is submitted', { rows: 4 }],
])('The field of %s says what it takes: …%s', (name, end, typeOptions) => {
	expect(fieldOf(name)).toMatchObject({ type: 'string', typeOptions });
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
	// a field that is added and left as it is changes nothing
	expect(fieldOf(name)).toMatchObject({ type: 'options', options, default: '' });
});
