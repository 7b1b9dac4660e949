import { sortBy, upperFirst } from 'lodash';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { describeAllowedValues, settings, type Setting } from '../../settings/settings';

/** What the settings are for whose allowed values say nothing: any text. */
const PURPOSES: Readonly<Record<string, string>> = {
	admin_email_note: 'Text in the email to the administrators of the form',
	after_message: 'Text that respondents see after they submit the form',
	after_message_email: 'Text of the email to the respondent',
	closed_message: 'Text that the page of a closed form shows',
};

const sorted = sortBy(settings, ({ displayName }) => displayName.toLowerCase());

/** The parameters of the collection Settings, one for each setting. */
export const settingProperties: INodeProperties[] = sorted.map(createField);

/** The options for the settings that can be cleared. */
export const clearableSettings: INodePropertyOptions[] = sorted
	.filter(({ nullable }) => nullable)
	.map(({ displayName, name }) => ({ name: displayName, value: name }));

/**
 * Creates the parameter of a setting. The description has the allowed values, unless the parameter lists the
 * allowed values.
 *
 * The parameter starts empty, so adding the parameter changes nothing. For a boolean setting, the user chooses
 * Yes or No from a list, because a switch would have a value from the start.
 */
function createField(setting: Setting): INodeProperties {
	const { name, displayName } = setting;
	const field = { name, displayName, default: '' };
	const choices = listChoices(setting);
	if (choices.length > 0) {
		const unsorted = [...choices, { name: 'Leave Unchanged', value: '' }];
		const options = sortBy(unsorted, (option) => option.name.toLowerCase());
		return { ...field, type: 'options', options };
	}
	const isLong = setting.type === 'text' && (setting.maxLength ?? Infinity) > 255;
	return {
		...field,
		type: 'string',
		typeOptions: { rows: isLong ? 4 : 1 },
		description: PURPOSES[name] ?? upperFirst(describeAllowedValues(setting)),
	};
}

function listChoices(setting: Setting): INodePropertyOptions[] {
	if (setting.type === 'choice') {
		return Object.entries(setting.choices).map(([value, name]) => ({ name, value }));
	}
	const answers = [
		{ name: 'No', value: false },
		{ name: 'Yes', value: true },
	];
	return setting.type === 'boolean' ? answers : [];
}
