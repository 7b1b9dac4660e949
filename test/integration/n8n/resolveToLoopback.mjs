/**
 * Gives the names below `private.example` the address of this machine, as a name server could, and those
 * below `invalid` none, at once (RFC 6761). Plain JavaScript, since the types of `lookup` have many forms.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

const ADDRESS = { address: '127.0.0.1', family: 4 };
const isOurs = (hostname) => hostname.endsWith('.private.example');

const createUnknown = (hostname) =>
	Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), {
		errno: -3008,
		code: 'ENOTFOUND',
		syscall: 'getaddrinfo',
		hostname,
	});

const { lookup } = dns;
dns.lookup = (hostname, options, callback = options) => {
	if (hostname.endsWith('.invalid')) return process.nextTick(callback, createUnknown(hostname));
	if (!isOurs(hostname)) return lookup(hostname, options, callback);
	if (options.all) process.nextTick(callback, null, [ADDRESS]);
	else process.nextTick(callback, null, ADDRESS.address, ADDRESS.family);
};

const { lookup: lookupPromise } = dns.promises;
dns.promises.lookup = async (hostname, options) => {
	if (!isOurs(hostname)) return await lookupPromise(hostname, options);
	return options?.all ? [ADDRESS] : ADDRESS;
};
syncBuiltinESMExports();
