import { sortBy } from 'lodash';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { describeBound, settings } from '../../api/settings/settings';
import type { Setting } from '../../api/settings/settings';

const sorted = sortBy(settings, ({ displayName }) => displayName.toLowerCase());

const LEFT_ALONE: INodePropertyOptions = { name: 'Leave Unchanged', value: '' };

const YES_OR_NO: INodePropertyOptions[] = [
	{ name: 'No', value: false },
	{ name: 'Yes', value: true },
];

/** Names of choices that are not just capitalized. */
const CHOICE_NAMES: Readonly<Record<string, string>> = {
	altcha: 'ALTCHA',
	recaptcha: 'reCAPTCHA',
};

/** One field of the editor for each setting that can be updated. */
export const settingFields: INodeProperties[] = sorted.map(toField);

/** The settings that can be cleared. */
export const clearOptions: INodePropertyOptions[] = sorted
	.filter(({ nullable }) => nullable)
	.map(({ displayName, name }) => ({ name: displayName, value: name }));

function toField(setting: Setting): INodeProperties {
	const { name, displayName } = setting;
	return { displayName, name, ...createWidget(setting), description: describeWithBound(setting) };
}

/**
 * The widget of a setting. Every widget starts empty, because a widget with a value, such as a switch,
 * would change the form as soon as it is added.
 */
function createWidget(
	setting: Setting,
): Pick<INodeProperties, 'type' | 'default'> & Partial<INodeProperties> {
	switch (setting.type) {
		case 'boolean':
			return { type: 'options', default: '', options: [LEFT_ALONE, ...YES_OR_NO] };
		case 'integer':
			return { type: 'string', default: '', placeholder: `e.g. ${setting.max ?? 100}` };
		case 'choice':
			return { type: 'options', default: '', options: toChoiceOptions(setting.choices) };
		case 'url':
			return { type: 'string', default: '', placeholder: 'e.g. https://example.com/thanks' };
		case 'text': {
			const rows = (setting.maxLength ?? Infinity) > 255 ? 4 : 1;
			return { type: 'string', default: '', typeOptions: { rows } };
		}
	}
}

function toChoiceOptions(choices: readonly string[]): INodePropertyOptions[] {
	const named = choices.map((value) => {
		const name = CHOICE_NAMES[value] ?? value.charAt(0).toUpperCase() + value.slice(1);
		return { name, value };
	});
	return sortBy([LEFT_ALONE, ...named], ({ name }) => name.toLowerCase());
}

/** The description, with the bound if the widget does not show the bound. */
function describeWithBound(setting: Setting): string {
	const bound = describeBound(setting);
	const needsBound = !['boolean', 'choice'].includes(setting.type) && bound !== 'text';
	return setting.description + (needsBound ? ` (${bound})` : '');
}
