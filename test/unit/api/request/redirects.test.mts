import { describe, expect, it } from 'vitest';
import { isLogin } from '../../../../nodes/FormService/api/request/redirects.ts';

const at = (path: string) => new URL(path, 'https://forms.example.com');

describe('a page on which people log in', () => {
	it.each([
		'/login',
		'/Login/',
		'/en/log-in?from=file',
		'/auth/sign-in',
		'/users/sign_in',
		'/wp-login.php',
		'/login;jsessionid=1',
	])('is seen: %s', (path) => {
		expect(isLogin(at(path))).toBe(true);
	});

	it.each([
		'/files/signing.pdf',
		'/files/login.png',
		'/files/Designing-a-form.pdf',
		'/assigning/cv.txt',
		'/forms/xLogIn/fields',
	])('is not seen in a name that only has the word in it: %s', (path) => {
		expect(isLogin(at(path))).toBe(false);
	});
});
