import type { Setting, SettingType } from './setting';

const boolean: SettingType = { type: 'boolean' };
const shortText = (maxLength: number): SettingType => ({ type: 'text', maxLength });
const longText = (maxLength?: number): SettingType => ({
	type: 'text',
	maxLength,
	multiline: true,
});
const integer = (min: number, max?: number): SettingType => ({ type: 'integer', min, max });

/** A setting; booleans cannot be null, nearly all others can. */
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
		'Admin Email: Attach PDF',
		boolean,
		'Whether the e-mail to administrators has the response attached as a PDF',
	),
	of('admin_email_note', 'Admin Email: Note', longText(), 'Note in the e-mail to administrators'),
	of(
		'admin_email_subject',
		'Admin Email: Subject',
		shortText(255),
		'Subject of the e-mail to administrators',
	),
	of(
		'after_message',
		'After Submission: Message',
		longText(),
		'Message shown once a response is submitted',
	),
	of(
		'after_message_email',
		'Respondent Email: Message',
		longText(),
		'Text of the e-mail to the respondent',
	),
	of(
		'after_message_email_subject',
		'Respondent Email: Subject',
		shortText(255),
		'Subject of the e-mail to the respondent',
	),
	of(
		'after_redirect_delay',
		'After Submission: Redirect Delay',
		integer(0, 60),
		'Seconds to wait before the respondent is redirected',
	),
	of(
		'after_redirect_url',
		'After Submission: Redirect URL',
		{ type: 'url', maxLength: 500 },
		'Address that the respondent is sent to once a response is submitted',
	),
	of('ai_summary_enabled', 'AI Summary', boolean, 'Whether responses are summarized by AI'),
	of(
		'captcha',
		'Captcha',
		{ type: 'choice', choices: ['altcha', 'turnstile', 'recaptcha', 'none'] },
		'How the form tells people from bots',
	),
	of(
		'capture_location',
		'Capture Location',
		boolean,
		'Whether the location of the respondent is recorded with the response',
	),
	of(
		'closed_message',
		'Closed: Message',
		longText(),
		'Message shown in place of the form while it is closed',
	),
	of(
		'cta_label',
		'Button: Submit Label',
		shortText(100),
		'Label of the button that submits the form',
	),
	of(
		'cta_label_continue',
		'Button: Continue Label',
		shortText(100),
		'Label of the button to the next page',
	),
	of('description', 'Description', longText(1000), 'Description of the form'),
	of('discord_enabled', 'Discord', boolean, 'Whether new responses are announced on Discord'),
	of(
		'google_sheets_enabled',
		'Google Sheets',
		boolean,
		'Whether new responses are added to Google Sheets',
	),
	of('hubspot_enabled', 'HubSpot', boolean, 'Whether new responses are sent to HubSpot'),
	of(
		'include_response_in_email',
		'Respondent Email: Include Response',
		boolean,
		'Whether the e-mail to the respondent includes the response',
	),
	of('is_closed', 'Closed', boolean, 'Whether the form is closed and takes no more responses'),
	{ ...of('name', 'Name', shortText(255), 'Name of the form'), nullable: false },
	of('number_prefix', 'Number: Prefix', shortText(10), 'Text in front of the number of a response'),
	of('number_suffix', 'Number: Suffix', shortText(10), 'Text after the number of a response'),
	of('responses_limit', 'Responses Limit', integer(1), 'How many responses the form takes'),
	of(
		'send_pdf_to_respondent',
		'Respondent Email: Attach PDF',
		boolean,
		'Whether the e-mail to the respondent has the response attached as a PDF',
	),
	of('seo_allow_bots', 'SEO: Allow Bots', boolean, 'Whether search engines may index the form'),
	of(
		'seo_description',
		'SEO: Description',
		longText(500),
		'Description of the form for search engines',
	),
	of('seo_title', 'SEO: Title', shortText(255), 'Title of the form for search engines'),
	of('show_formtitle', 'Show Form Title', boolean, 'Whether the form shows its title'),
	of(
		'show_multipage_progress',
		'Show Multipage Progress',
		boolean,
		'Whether a form of several pages shows how far the respondent is',
	),
	of('slack_enabled', 'Slack', boolean, 'Whether new responses are announced on Slack'),
];
