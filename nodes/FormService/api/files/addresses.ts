import { trimEnd } from 'lodash';

/** What an address leads to: this machine, its link, a private network or no single machine, else anywhere. */
export type AddressKind = 'loopback' | 'linkLocal' | 'private' | 'public';

/**
 * What a host leads to, as `URL.hostname` gives it: `URL` writes every IPv4 form (decimal, octal,
 * hexadecimal, short) as four numbers and shortens IPv6, so these two are all there is to read. Names
 * are not looked up.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function addressKindOf(hostname: string): AddressKind {
	const host = trimEnd(hostname.toLowerCase(), '.');
	if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback';
	if (host.startsWith('[')) return kindOfIpv6(host.slice(1, -1));
	const ipv4 = parseIpv4(host);
	return ipv4 === undefined ? 'public' : kindOfIpv4(ipv4);
}

/** The IPv4 blocks that are not of the public internet: first address, length of the prefix, kind. */
const SPECIAL_IPV4: ReadonlyArray<readonly [string, number, AddressKind]> = [
	// a connection to 0.0.0.0 reaches this machine
	['0.0.0.0', 8, 'loopback'],
	['10.0.0.0', 8, 'private'],
	['100.64.0.0', 10, 'private'],
	['127.0.0.0', 8, 'loopback'],
	['169.254.0.0', 16, 'linkLocal'],
	['172.16.0.0', 12, 'private'],
	['192.0.0.0', 24, 'private'],
	['192.0.2.0', 24, 'private'],
	['192.88.99.0', 24, 'private'],
	['192.168.0.0', 16, 'private'],
	['198.18.0.0', 15, 'private'],
	['198.51.100.0', 24, 'private'],
	['203.0.113.0', 24, 'private'],
	['224.0.0.0', 4, 'private'],
	['240.0.0.0', 4, 'private'],
];

function kindOfIpv4(address: number): AddressKind {
	const block = SPECIAL_IPV4.find(([first, length]) => {
		const size = 2 ** (32 - length);
		const start = parseIpv4(first) ?? 0;
		return address >= start && address < start + size;
	});
	return block?.[2] ?? 'public';
}

function parseIpv4(text: string): number | undefined {
	if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined;
	const numbers = text.split('.').map(Number);
	return numbers.every((number) => number < 256)
		? numbers.reduce((address, number) => address * 256 + number, 0)
		: undefined;
}

function kindOfIpv6(text: string): AddressKind {
	const groups = parseIpv6(text);
	if (groups === undefined) return 'private';
	const [first, second] = groups;
	const embedded = (at: number) => kindOfIpv4(groups[at] * 65536 + groups[at + 1]);
	if (groups.slice(0, 7).every((group) => group === 0) && groups[7] <= 1) return 'loopback';
	// IPv4 in its compatible, mapped and translated forms, by NAT64 and by 6to4
	const isIpv4 =
		groups.slice(0, 4).every((group) => group === 0) &&
		[groups[4], groups[5]].every((group) => group === 0 || group === 0xffff);
	if (isIpv4) return embedded(6);
	if (groups.slice(0, 6).join() === [0x64, 0xff9b, 0, 0, 0, 0].join()) return embedded(6);
	if (first === 0x2002) return embedded(1);
	if ((first & 0xffc0) === 0xfe80) return 'linkLocal';
	// protocol assignments such as Teredo, and documentation
	const isReserved =
		(first === 0x2001 && (second < 0x200 || second === 0xdb8)) ||
		(first === 0x3fff && second < 0x1000);
	// all that is public lies in 2000::/3
	return (first & 0xe000) === 0x2000 && !isReserved ? 'public' : 'private';
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
