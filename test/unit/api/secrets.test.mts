import { describe, expect, it } from 'vitest';
import { withoutSecrets } from '../../../nodes/FormService/api/secrets.ts';

describe('a workspace without its secrets', () => {
	it('has neither the webhook secret nor any webhook URL, at any depth', () => {
		const workspace = {
			name: 'Workspace',
			webhook_secret: 's',
			slack_webhook_url: 's',
			discord_webhook_url: 's',
			teamsWebhookUrl: 's',
			owner: { email: 'a@b.example', api_token: 's' },
			members: [{ name: 'Ada', password_hash: 's' }, 'Grace'],
		};
		expect(withoutSecrets(workspace)).toEqual({
			name: 'Workspace',
			owner: { email: 'a@b.example' },
			members: [{ name: 'Ada' }, 'Grace'],
		});
	});

	it('has all else that the service gave', () => {
		const rest = {
			after_redirect_url: 'https://example.com',
			checkout_canceled_cta: null,
			onboarding_completed: true,
			owner: { two_factor_confirmed_at: null, email_verified_at: '2026-01-01T00:00:00.000000Z' },
			new_attribute: 5,
		};
		expect(withoutSecrets(rest)).toEqual(rest);
	});
});
