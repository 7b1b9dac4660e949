/** What a setting takes. Lengths are in characters, integers are inclusive. */
type SettingType =
	| { type: 'boolean' }
	/** A required text is trimmed and must not be empty. */
	| { type: 'text'; maxLength?: number; multiline?: true; required?: true }
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

/** What a setting takes, in words: `a whole number from 0 to 60`. */
export function boundOf(setting: Setting): string {
	switch (setting.type) {
		case 'boolean':
			return 'true or false (or yes or no)';
		case 'text':
			if (setting.maxLength === undefined) return 'text';
			return setting.required
				? `text of 1 to ${setting.maxLength} characters`
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

const boolean: SettingType = { type: 'boolean' };
const text = (maxLength: number): SettingType => ({ type: 'text', maxLength });
const multilineText = (maxLength?: number): SettingType => ({
	type: 'text',
	maxLength,
	multiline: true,
});
const integer = (min: number, max?: number): SettingType => ({ type: 'integer', min, max });

/** A setting: booleans cannot be null, and others can, unless their entry says otherwise. */
function of(name: string, displayName: string, type: SettingType, description: string): Setting {
	return { ...type, name, displayName, description, nullable: type.type !== 'boolean' };
}

/**
 * The settings of a form that can be updated (specification, section 2.5), in the specification's
 * order. The editor's fields, the checks, the error texts and the reference table all come from here.
 */
export const settings: readonly Setting[] = [
	of(
		'admin_email_attach_pdf',
		'Admin Email: PDF',
		boolean,
		'Whether to attach the response as a PDF to the email to administrators',
	),
	of(
		'admin_email_note',
		'Admin Email: Note',
		multilineText(),
		'Note in the email to administrators',
	),
	of(
		'admin_email_subject',
		'Admin Email: Subject',
		text(255),
		'Subject of the email to administrators',
	),
	of(
		'after_message',
		'After Submit: Message',
		multilineText(),
		'Message shown after a response is submitted',
	),
	of(
		'after_message_email',
		'Respondent: Email Text',
		multilineText(),
		'Text of the email to the respondent',
	),
	of(
		'after_message_email_subject',
		'Respondent: Subject',
		text(255),
		'Subject of the email to the respondent',
	),
	of(
		'after_redirect_delay',
		'After Submit: Delay',
		integer(0, 60),
		'Seconds to wait before redirecting the respondent',
	),
	of(
		'after_redirect_url',
		'After Submit: Redirect',
		{ type: 'url', maxLength: 500 },
		'URL that the respondent is redirected to after submitting',
	),
	of('ai_summary_enabled', 'AI Summary', boolean, 'Whether to summarize responses with AI'),
	of(
		'captcha',
		'Captcha',
		{ type: 'choice', choices: ['altcha', 'turnstile', 'recaptcha', 'none'] },
		'Captcha that protects the form from bots',
	),
	of(
		'capture_location',
		'Capture Location',
		boolean,
		'Whether to record the location of the respondent with the response',
	),
	of(
		'closed_message',
		'Closed: Message',
		multilineText(),
		'Message shown instead of the form while it is closed',
	),
	of('cta_label', 'Button: Submit Label', text(100), 'Label of the button that submits the form'),
	of(
		'cta_label_continue',
		'Button: Continue Label',
		text(100),
		'Label of the button to the next page',
	),
	of('description', 'Description', multilineText(1000), 'Description of the form'),
	of('discord_enabled', 'Discord', boolean, 'Whether to announce new responses on Discord'),
	of(
		'google_sheets_enabled',
		'Google Sheets',
		boolean,
		'Whether to add new responses to Google Sheets',
	),
	of('hubspot_enabled', 'HubSpot', boolean, 'Whether to send new responses to HubSpot'),
	of(
		'include_response_in_email',
		'Respondent: Answers',
		boolean,
		'Whether to include the answers in the email to the respondent',
	),
	of('is_closed', 'Closed', boolean, 'Whether the form is closed and accepts no more responses'),
	{
		...of('name', 'Name', { type: 'text', maxLength: 255, required: true }, 'Name of the form'),
		nullable: false,
	},
	of('number_prefix', 'Number: Prefix', text(10), 'Text before the number of a response'),
	of('number_suffix', 'Number: Suffix', text(10), 'Text after the number of a response'),
	of(
		'responses_limit',
		'Responses Limit',
		integer(1),
		'Maximum number of responses that the form accepts',
	),
	of(
		'send_pdf_to_respondent',
		'Respondent: Attach PDF',
		boolean,
		'Whether to attach the response as a PDF to the email to the respondent',
	),
	of('seo_allow_bots', 'SEO: Allow Bots', boolean, 'Whether to let search engines index the form'),
	of(
		'seo_description',
		'SEO: Description',
		multilineText(500),
		'Description of the form for search engines',
	),
	of('seo_title', 'SEO: Title', text(255), 'Title of the form for search engines'),
	of('show_formtitle', 'Show Form Title', boolean, 'Whether to show the title of the form'),
	of(
		'show_multipage_progress',
		'Show Page Progress',
		boolean,
		'Whether to show progress on a form with several pages',
	),
	of('slack_enabled', 'Slack', boolean, 'Whether to announce new responses on Slack'),
];
