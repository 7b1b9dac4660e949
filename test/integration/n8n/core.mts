import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as N8nCore from 'n8n-core';
import type * as N8nWorkflow from 'n8n-workflow';

// n8n-core reads these when it is loaded
const settings = {
	N8N_USER_FOLDER: mkdtempSync(join(tmpdir(), 'n8n-harness-')),
	N8N_ENCRYPTION_KEY: 'only-for-tests',
	N8N_LOG_LEVEL: 'silent',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	// of no effect unless a test turns n8n's protection of private addresses on
	N8N_SSRF_ALLOWED_HOSTNAMES: 'localhost',
};
Object.assign(process.env, settings);

// by require, as n8n does: with n8n-workflow's ESM build, there would be two NodeApiError classes
const load = createRequire(import.meta.url);
const loadAsCore = createRequire(load.resolve('n8n-core'));

export const core = load('n8n-core') as typeof N8nCore;
export const workflow = load('n8n-workflow') as typeof N8nWorkflow;

type Container = { get<T>(type: abstract new (...args: never[]) => T): T };

/** The container that n8n-core keeps its services in. */
export const container = (loadAsCore('@n8n/di') as { Container: Container }).Container;

const { SsrfProtectionConfig } = loadAsCore('@n8n/config') as {
	SsrfProtectionConfig: new () => { enabled: boolean };
};

/** n8n's protection of private addresses; a test that turns it on turns it off again. */
export const ssrfProtection = container.get(SsrfProtectionConfig);
