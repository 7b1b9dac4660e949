/**
 * Gives the names below `private.example` the address of this machine, as a name server could, and those
 * below `invalid` none, at once (RFC 6761). Plain JavaScript, since the types of `lookup` have many forms.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

const toAddress = (hostname) => (hostname.endsWith('.private.example') ? '127.0.0.1' : hostname);

const { lookup } = dns;
dns.lookup = (hostname, options, callback = options) => {
	if (!hostname.endsWith('.invalid')) return lookup(toAddress(hostname), options, callback);
	const error = new Error(`getaddrinfo ENOTFOUND ${hostname}`);
	return process.nextTick(callback, Object.assign(error, { code: 'ENOTFOUND' }));
};

const { lookup: lookupPromise } = dns.promises;
dns.promises.lookup = async (hostname, options) =>
	await lookupPromise(toAddress(hostname), options);
syncBuiltinESMExports();
