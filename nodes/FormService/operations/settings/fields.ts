import { sortBy } from 'lodash';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { boundOf, settings } from '../../api/settings/settings';
import type { Setting } from '../../api/settings/settings';

const sorted = sortBy(settings, ({ displayName }) => displayName.toLowerCase());

/** One field of the editor for each setting that can be updated. */
export const settingFields: INodeProperties[] = sorted.map(toField);

/** The settings that can be cleared. */
export const clearOptions: INodePropertyOptions[] = sorted
	.filter(({ nullable }) => nullable)
	.map(({ displayName, name }) => ({ name: displayName, value: name }));

function toField(setting: Setting): INodeProperties {
	const { name, displayName } = setting;
	return { displayName, name, ...widgetOf(setting), description: describe(setting) };
}

function widgetOf(
	setting: Setting,
): Pick<INodeProperties, 'type' | 'default'> & Partial<INodeProperties> {
	switch (setting.type) {
		case 'boolean':
			return { type: 'boolean', default: false };
		case 'integer':
			// without bounds: the editor would turn what exceeds them into another number, without a word
			return { type: 'number', default: setting.min };
		case 'choice':
			return { type: 'options', default: setting.choices[0], options: choicesOf(setting.choices) };
		case 'url':
			return { type: 'string', default: '', placeholder: 'e.g. https://example.com/thanks' };
		case 'text':
			return { type: 'string', default: '', typeOptions: { rows: setting.multiline ? 4 : 1 } };
	}
}

function choicesOf(choices: readonly string[]): INodePropertyOptions[] {
	return choices
		.toSorted()
		.map((choice) => ({ name: choice.charAt(0).toUpperCase() + choice.slice(1), value: choice }));
}

/** With the bound where the widget does not show it. */
function describe(setting: Setting): string {
	const bound = boundOf(setting);
	const isShown = setting.type === 'boolean' || setting.type === 'choice' || bound === 'text';
	return isShown ? setting.description : `${setting.description} (${bound})`;
}
