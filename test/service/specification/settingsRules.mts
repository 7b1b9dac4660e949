import lodash from 'lodash';
import { z } from 'zod';

export type SettingValue = string | number | boolean | null;
export type Settings = Record<string, SettingValue>;

/** 0 and 1 are stored as false and true (specification, section 4, rule 5). */
const flag = z.union([z.boolean(), z.literal(0), z.literal(1)]).transform(Boolean);

/** `max` counts characters, of which an emoji is one. */
const textUpTo = (max: number) => z.string().refine((text) => [...text].length <= max);
const text = (max = Infinity) => textUpTo(max).nullable();

/** The rules for the values of settings, in the order of the specification (section 2.5). */
const rules = {
	admin_email_attach_pdf: flag,
	admin_email_note: text(),
	admin_email_subject: text(255),
	after_message: text(),
	after_message_email: text(),
	after_message_email_subject: text(255),
	after_redirect_delay: z.number().int().min(0).max(60).nullable(),
	after_redirect_url: z.string().url().max(500).nullable(),
	ai_summary_enabled: flag,
	captcha: z.enum(['altcha', 'turnstile', 'recaptcha', 'none']).nullable(),
	capture_location: flag,
	closed_message: text(),
	cta_label: text(100),
	cta_label_continue: text(100),
	description: text(1000),
	discord_enabled: flag,
	google_sheets_enabled: flag,
	hubspot_enabled: flag,
	include_response_in_email: flag,
	is_closed: flag,
	name: textUpTo(255),
	number_prefix: text(10),
	number_suffix: text(10),
	responses_limit: z.number().int().min(1).nullable(),
	send_pdf_to_respondent: flag,
	seo_allow_bots: flag,
	seo_description: text(500),
	seo_title: text(255),
	show_formtitle: flag,
	show_multipage_progress: flag,
	slack_enabled: flag,
};

/** Checks the body of an update. */
export const settingsSchema = z.object(rules).partial().strict();

export function defaultSettings(name: string): Settings {
	const empty = lodash.mapValues(rules, (rule) => (rule === flag ? false : null));
	return { ...empty, show_formtitle: true, seo_allow_bots: true, name };
}
