import { intersection, maxBy, union } from 'lodash';
import { simplifySpelling } from '../answers/names';

/** What a setting takes. Lengths are in characters, integers are inclusive. */
type SettingType =
	| { type: 'boolean' }
	/** A required text is trimmed and must not be empty. */
	| { type: 'text'; maxLength?: number; required?: true }
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
export function describeBound(setting: Setting): string {
	switch (setting.type) {
		case 'boolean':
			return 'true or false';
		case 'text': {
			const { maxLength, required } = setting;
			if (maxLength === undefined) return 'text';
			return `text of ${required ? '1 to' : 'at most'} ${maxLength} characters`;
		}
		case 'url':
			return `an http or https URL of at most ${setting.maxLength} characters`;
		case 'integer': {
			const { min, max } = setting;
			return `a whole number ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}`;
		}
		case 'choice':
			return `one of ${setting.choices.join(', ')}`;
	}
}

/** The label of a setting in the editor, its description, and what it takes. */
type Entry = readonly [displayName: string, description: string, type: SettingType];

const boolean: SettingType = { type: 'boolean' };
const text = (maxLength?: number): SettingType => ({ type: 'text', maxLength });
const CAPTCHAS: SettingType = {
	type: 'choice',
	choices: ['altcha', 'turnstile', 'recaptcha', 'none'],
};

/**
 * The settings of a form that can be updated (specification, section 2.5), in the specification's
 * order. The editor's fields, the checks, the error texts and the reference table all come from here.
 */
const TABLE: Readonly<Record<string, Entry>> = {
	admin_email_attach_pdf: [
		'Admin Email: Attach PDF',
		'Whether to attach the response as a PDF to the email to administrators',
		boolean,
	],
	admin_email_note: ['Admin Email: Note', 'Note in the email to administrators', text()],
	admin_email_subject: [
		'Admin Email: Subject',
		'Subject of the email to administrators',
		text(255),
	],
	after_message: ['After Submit: Message', 'Message shown after a response is submitted', text()],
	after_message_email: ['Respondent Email: Text', 'Text of the email to the respondent', text()],
	after_message_email_subject: [
		'Respondent Email: Subject',
		'Subject of the email to the respondent',
		text(255),
	],
	after_redirect_delay: [
		'Redirect Delay (Seconds)',
		'Seconds to wait before redirecting the respondent',
		{ type: 'integer', min: 0, max: 60 },
	],
	after_redirect_url: [
		'Redirect URL',
		'URL that the respondent is redirected to after submitting',
		{ type: 'url', maxLength: 500 },
	],
	ai_summary_enabled: ['AI Summary', 'Whether to summarize responses with AI', boolean],
	captcha: ['CAPTCHA', 'CAPTCHA that protects the form from bots', CAPTCHAS],
	capture_location: [
		'Capture Location',
		'Whether to record the location of the respondent with the response',
		boolean,
	],
	closed_message: ['Closed: Message', 'Message shown in place of a closed form', text()],
	cta_label: ['Button: Submit Label', 'Label of the button that submits the form', text(100)],
	cta_label_continue: ['Button: Continue Label', 'Label of the button to the next page', text(100)],
	description: ['Description', 'Description of the form', text(1000)],
	discord_enabled: ['Discord', 'Whether to announce new responses on Discord', boolean],
	google_sheets_enabled: [
		'Google Sheets',
		'Whether to add new responses to Google Sheets',
		boolean,
	],
	hubspot_enabled: ['HubSpot', 'Whether to send new responses to HubSpot', boolean],
	include_response_in_email: [
		'Respondent Email: Include Answers',
		'Whether to include the answers in the email to the respondent',
		boolean,
	],
	is_closed: ['Closed', 'Whether the form is closed and accepts no more responses', boolean],
	name: ['Name', 'Name of the form', { type: 'text', maxLength: 255, required: true }],
	number_prefix: ['Number: Prefix', 'Text before the number of a response', text(10)],
	number_suffix: ['Number: Suffix', 'Text after the number of a response', text(10)],
	responses_limit: [
		'Responses Limit',
		'Maximum number of responses that the form accepts',
		{ type: 'integer', min: 1 },
	],
	send_pdf_to_respondent: [
		'Respondent Email: Attach PDF',
		'Whether to attach the response as a PDF to the email to the respondent',
		boolean,
	],
	seo_allow_bots: ['SEO: Allow Bots', 'Whether to let search engines index the form', boolean],
	seo_description: ['SEO: Description', 'Description of the form for search engines', text(500)],
	seo_title: ['SEO: Title', 'Title of the form for search engines', text(255)],
	show_formtitle: ['Show Form Title', 'Whether to show the title of the form', boolean],
	show_multipage_progress: [
		'Show Page Progress',
		'Whether to show progress on a form with several pages',
		boolean,
	],
	slack_enabled: ['Slack', 'Whether to announce new responses on Slack', boolean],
};

/** The settings; booleans and the required name cannot be null. */
export const settings: readonly Setting[] = Object.entries(TABLE).map(
	([name, [displayName, description, type]]) => {
		const nullable = type.type !== 'boolean' && !(type.type === 'text' && type.required);
		return { ...type, name, displayName, description, nullable };
	},
);

/** The settings by the service's names and the editor's. */
const bySpelling: ReadonlyMap<string, Setting> = new Map(
	settings.flatMap((setting) =>
		[setting.name, setting.displayName].map((name) => [simplifySpelling(name), setting] as const),
	),
);

/** The setting with this name in the service or in the editor. */
export function findSetting(name: string): Setting | undefined {
	return bySpelling.get(simplifySpelling(name));
}

/** The setting whose name shares the most pairs of letters with a wrong one, if it shares a fifth of all. */
export function findNearestSetting(wrong: string): Setting | undefined {
	const listPairs = (name: string) =>
		[...` ${name}`].map((letter, at) => letter + (name[at] ?? ''));
	const given = listPairs(simplifySpelling(wrong.slice(0, 100)));
	const measure = (name: string) =>
		intersection(given, listPairs(name)).length / union(given, listPairs(name)).length;
	const nearest = maxBy([...bySpelling.keys()], measure) ?? '';
	return measure(nearest) > 1 / 5 ? bySpelling.get(nearest) : undefined;
}
