import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../../scripts/lib/paths.mts';
import { startService } from '../../service/index.mts';

/** Runs the command without a terminal. */
async function runProbe(args: string[], env: NodeJS.ProcessEnv = {}) {
	const own = { ...process.env, FORM_SERVICE_URL: '', FORM_SERVICE_TOKEN: '', ...env };
	const script = join(root, 'scripts/probe/main.mts');
	const child = spawn(process.execPath, [script, ...args], {
		env: own,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
	const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
	return { code: await closed, out, errors };
}

async function startForCommand() {
	const service = await startService({ token: 'a-secret-token' });
	onTestFinished(async () => await service.close());
	return { FORM_SERVICE_URL: service.url, FORM_SERVICE_TOKEN: service.token };
}

describe('npm run probe', () => {
	it('ends with the verdict and exit code 0', async () => {
		const { code, out } = await runProbe([], await startForCommand());
		expect(out.trim().split('\n').at(-1)).toBe('Everything here is read as documented.');
		expect(code).toBe(0);
	});

	it('has exit code 1 if something is not read', async () => {
		const env = { ...(await startForCommand()), FORM_SERVICE_TOKEN: 'another-token' };
		const { code, out } = await runProbe([], env);
		expect(out).toContain('Not read as documented');
		expect(code).toBe(1);
	});

	const refused = [['https://a-secret-host.example'], ['--token', 'a-secret'], ['--url=a-secret']];
	it.each(refused)('refuses an address or token as an argument: %s', async (...args) => {
		const { code, out, errors } = await runProbe(args);
		expect(errors).toContain('Address and token are not taken as arguments');
		expect(out + errors).not.toContain('a-secret');
		expect(code).toBe(1);
	});

	it('does not repeat an address that cannot be used', async () => {
		const env = {
			FORM_SERVICE_URL: 'https://secret.example/?secret',
			FORM_SERVICE_TOKEN: 'secret',
		};
		const { code, out, errors } = await runProbe([], env);
		expect(errors).toMatch(/^'Base URL' is not the address of a service/);
		expect(errors).not.toContain('secret');
		expect([out, code]).toEqual(['', 1]);
	});

	it('says what is missing if nobody can be asked', async () => {
		const { code, errors } = await runProbe([]);
		expect(errors).toContain('Set FORM_SERVICE_URL and FORM_SERVICE_TOKEN');
		expect(code).toBe(1);
	});
});
