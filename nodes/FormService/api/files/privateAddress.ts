/**
 * Whether a host, as `URL.hostname` gives it, is an address of a private network, of this machine or
 * of no single machine. `URL` writes every IPv4 form (decimal, octal, hexadecimal, short) as four
 * numbers and shortens IPv6, so these two are all there is to read. Names are not looked up.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function isPrivateHost(hostname: string): boolean {
	const host = hostname.toLowerCase().replace(/\.+$/, '');
	if (host === 'localhost' || host.endsWith('.localhost')) return true;
	if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1));
	const ipv4 = parseIpv4(host);
	return ipv4 !== undefined && isPrivateIpv4(ipv4);
}

/** First address and prefix length of the IPv4 blocks that are not of the public internet. */
const PRIVATE_IPV4: ReadonlyArray<[string, number]> = [
	['0.0.0.0', 8],
	['10.0.0.0', 8],
	['100.64.0.0', 10],
	['127.0.0.0', 8],
	['169.254.0.0', 16],
	['172.16.0.0', 12],
	['192.0.0.0', 24],
	['192.168.0.0', 16],
	['198.18.0.0', 15],
	['224.0.0.0', 4],
	['240.0.0.0', 4],
];

function isPrivateIpv4(address: number): boolean {
	return PRIVATE_IPV4.some(([first, length]) => {
		const size = 2 ** (32 - length);
		const start = parseIpv4(first) ?? 0;
		return address >= start && address < start + size;
	});
}

function parseIpv4(text: string): number | undefined {
	if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined;
	const numbers = text.split('.').map(Number);
	return numbers.every((number) => number < 256)
		? numbers.reduce((address, number) => address * 256 + number, 0)
		: undefined;
}

function isPrivateIpv6(text: string): boolean {
	const groups = parseIpv6(text);
	if (groups === undefined) return true;
	const [first, second, third] = groups;
	const embedded = (at: number) => isPrivateIpv4(groups[at] * 65536 + groups[at + 1]);
	// unspecified, loopback, and IPv4 in its compatible, mapped and translated forms
	if (groups.slice(0, 4).every((group) => group === 0)) return groups[4] !== 0 || embedded(6);
	if (first === 0x64 && second === 0xff9b) return third !== 0 || embedded(6);
	if (first === 0x2002) return embedded(1);
	if (first === 0x2001 && second === 0) return true;
	// unique local, link-local, the old site-local, multicast
	return (first & 0xfe00) === 0xfc00 || (first & 0xff80) === 0xfe80 || (first & 0xff00) === 0xff00;
}

/** The eight groups of an address in the form that `URL` writes. */
function parseIpv6(text: string): number[] | undefined {
	const [head, tail, more] = text.split('::').map((part) => part.split(':').filter(Boolean));
	if (more !== undefined) return undefined;
	const missing = 8 - head.length - (tail?.length ?? 0);
	if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
	const groups = [
		...head,
		...Array<string>(tail === undefined ? 0 : missing).fill('0'),
		...(tail ?? []),
	];
	const numbers = groups.map((group) => Number.parseInt(group, 16));
	return numbers.every((number) => number >= 0 && number <= 0xffff) ? numbers : undefined;
}
