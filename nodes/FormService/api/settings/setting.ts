/** What a setting takes. Lengths are in characters, integers are inclusive. */
export type SettingType =
	| { type: 'boolean' }
	| { type: 'text'; maxLength?: number; multiline?: true }
	| { type: 'url'; maxLength: number }
	| { type: 'integer'; min: number; max?: number }
	| { type: 'choice'; choices: readonly string[] };

export type Setting = SettingType & {
	/** The service's own name, as it is sent. */
	name: string;
	displayName: string;
	/** Whether `null` removes it. */
	nullable: boolean;
	description: string;
};

/** What a setting takes, in words: `a whole number from 0 to 60, or null`. */
export function boundOf(setting: Setting): string {
	return setting.nullable ? `${typeBoundOf(setting)}, or null` : typeBoundOf(setting);
}

function typeBoundOf(setting: Setting): string {
	switch (setting.type) {
		case 'boolean':
			return 'true or false (or 1 or 0)';
		case 'text':
			return setting.maxLength === undefined
				? 'text'
				: `text of at most ${setting.maxLength} characters`;
		case 'url':
			return `an http or https URL of at most ${setting.maxLength} characters`;
		case 'integer':
			return setting.max === undefined
				? `a whole number of at least ${setting.min}`
				: `a whole number from ${setting.min} to ${setting.max}`;
		case 'choice':
			return `one of ${setting.choices.join(', ')}`;
	}
}
