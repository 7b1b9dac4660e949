import type { DatabaseSync } from 'node:sqlite';
import { timestamp } from './values.mts';

/** A workspace as endpoint 1 shows it (section 2.1). */
export type Workspace = Record<string, unknown> & { name: string };

export type Account = { id: number; workspace: Workspace };

/** What a new account may say of itself; the rest of its workspace has plain defaults. */
export type NewAccount = { name?: string; tokens: string[]; workspace?: Record<string, unknown> };

type Row = { id: number; workspace: string };

const accountOf = (row: unknown): Account | undefined => {
	const found = row as Row | undefined;
	return found && { id: found.id, workspace: JSON.parse(found.workspace) as Workspace };
};

/** Accounts and their tokens. Several tokens of one account share its limits. */
export function accountStore(database: DatabaseSync, now: () => number) {
	const insert = database.prepare('INSERT INTO accounts (workspace) VALUES (?)');
	const insertToken = database.prepare('INSERT INTO tokens (token, account_id) VALUES (?, ?)');
	const byToken = database.prepare(
		'SELECT accounts.* FROM accounts JOIN tokens ON account_id = accounts.id WHERE token = ?',
	);
	const byId = database.prepare('SELECT * FROM accounts WHERE id = ?');
	const first = database.prepare('SELECT * FROM accounts ORDER BY id LIMIT 1');

	return {
		account: (id: number) => accountOf(byId.get(id)),
		addAccount({ name = 'Workspace', tokens, workspace }: NewAccount): Account {
			const content = { ...emptyWorkspace(name, timestamp(now())), ...workspace };
			const { lastInsertRowid } = insert.run(JSON.stringify(content));
			const id = Number(lastInsertRowid);
			for (const token of tokens) insertToken.run(token, id);
			return { id, workspace: content };
		},
		addToken(accountId: number, token: string) {
			insertToken.run(token, accountId);
		},
		accountOfToken: (token: string) => accountOf(byToken.get(token)),
		firstAccount: () => accountOf(first.get()),
	};
}

function emptyWorkspace(name: string, createdAt: string): Workspace {
	return {
		name,
		logo: null,
		logo_backend: null,
		ogimage: null,
		favicon: null,
		after_message: null,
		after_redirect_url: null,
		after_message_email_subject: null,
		after_message_email: null,
		field_errormessage: 'Please fill in this field.',
		slack_webhook_url: null,
		discord_webhook_url: null,
		webhook_secret: 'webhook-secret',
		replyto_email: 'owner@example.com',
		checkout_canceled_message: null,
		checkout_canceled_cta: null,
		onboarding_completed: true,
		timezone: 'UTC',
		locale: 'en',
		owner: {
			name: 'Owner',
			email: 'owner@example.com',
			email_verified_at: createdAt,
			two_factor_confirmed_at: null,
			created_at: createdAt,
		},
		members: [],
		created_at: createdAt,
	};
}
