import lodash from 'lodash';
import { z } from 'zod';

/** The rule for the values of a setting (specification, section 2.5). `max` limits the length of a string. */
type SettingRule =
	| { kind: 'boolean'; nullable?: false }
	| { kind: 'string' | 'url'; nullable: boolean; max?: number; allowed?: readonly string[] }
	| { kind: 'integer'; nullable: boolean; min?: number; max?: number };

export type SettingValue = string | number | boolean | null;
export type Settings = Record<string, SettingValue>;

const flag = { kind: 'boolean' } as const;
const text = (max?: number) => ({ kind: 'string', nullable: true, max }) as const;

/** In the order of the specification. */
export const settingRules: Record<string, SettingRule> = {
	admin_email_attach_pdf: flag,
	admin_email_note: text(),
	admin_email_subject: text(255),
	after_message: text(),
	after_message_email: text(),
	after_message_email_subject: text(255),
	after_redirect_delay: { kind: 'integer', nullable: true, min: 0, max: 60 },
	after_redirect_url: { kind: 'url', nullable: true, max: 500 },
	ai_summary_enabled: flag,
	captcha: {
		kind: 'string',
		nullable: true,
		allowed: ['altcha', 'turnstile', 'recaptcha', 'none'],
	},
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
	name: { kind: 'string', nullable: false, max: 255 },
	number_prefix: text(10),
	number_suffix: text(10),
	responses_limit: { kind: 'integer', nullable: true, min: 1 },
	send_pdf_to_respondent: flag,
	seo_allow_bots: flag,
	seo_description: text(500),
	seo_title: text(255),
	show_formtitle: flag,
	show_multipage_progress: flag,
	slack_enabled: flag,
};

export function defaultSettings(name: string): Settings {
	const empty = lodash.mapValues(settingRules, ({ kind }) => (kind === 'boolean' ? false : null));
	return { ...empty, show_formtitle: true, seo_allow_bots: true, name };
}

/** Checks the body of an update. Converts 0 to false and 1 to true (section 4, rule 5). */
export const settingsSchema = z
	.object(lodash.mapValues(settingRules, createSchema))
	.partial()
	.strict();

function createSchema(rule: SettingRule): z.ZodType {
	if (rule.kind === 'boolean') {
		return z.union([z.boolean(), z.literal(0), z.literal(1)]).transform(Boolean);
	}
	const { nullable, max = Infinity } = rule;
	if (rule.kind === 'integer') {
		const integer = z
			.number()
			.int()
			.min(rule.min ?? -Infinity)
			.max(max);
		return nullable ? integer.nullable() : integer;
	}
	const text = rule.kind === 'url' ? z.string().url() : z.string();
	const isTaken = (value: string) =>
		[...value].length <= max && (rule.allowed?.includes(value) ?? true);
	const taken = text.refine(isTaken);
	return nullable ? taken.nullable() : taken;
}
