import { BlockList } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { addressKindOf } from '../../../../nodes/FormService/api/files/addresses.ts';

/**
 * The hand-written check against two others: what ipaddr.js calls a range, and what Node's own
 * BlockList finds in the blocks of IANA's registries of special addresses.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */

const kindOf = (address: string) =>
	addressKindOf(new URL(`http://${address.includes(':') ? `[${address}]` : address}`).hostname);

/** All that the registries call not globally reachable; multicast (RFC 5771, RFC 4291) besides. */
const SPECIAL_IPV4 = [
	'0.0.0.0/8',
	'10.0.0.0/8',
	'100.64.0.0/10',
	'127.0.0.0/8',
	'169.254.0.0/16',
	'172.16.0.0/12',
	'192.0.0.0/24',
	'192.0.2.0/24',
	'192.88.99.0/24',
	'192.168.0.0/16',
	'198.18.0.0/15',
	'198.51.100.0/24',
	'203.0.113.0/24',
	'224.0.0.0/4',
	'240.0.0.0/4',
];
const SPECIAL_IPV6 = [
	'::/8',
	'100::/8',
	'200::/7',
	'400::/6',
	'800::/5',
	'1000::/4',
	'4000::/2',
	'8000::/1',
	'2001::/23',
	'2001:db8::/32',
	'3fff::/20',
];

function blockListOf(blocks: string[], type: 'ipv4' | 'ipv6'): BlockList {
	const list = new BlockList();
	for (const block of blocks) {
		const [first, length] = block.split('/');
		list.addSubnet(first, Number(length), type);
	}
	return list;
}

const special4 = blockListOf(SPECIAL_IPV4, 'ipv4');
const special6 = blockListOf(SPECIAL_IPV6, 'ipv6');

const anyIpv4 = fc.nat({ max: 0xffffffff });
const dotted = (address: number) =>
	[24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');

/** Addresses at and beside the ends of the special blocks, where mistakes are. */
const edgeIpv4 = fc
	.tuple(fc.constantFrom(...SPECIAL_IPV4), fc.integer({ min: -2, max: 2 }), fc.boolean())
	.map(([block, offset, atEnd]) => {
		const [first, length] = block.split('/');
		const start = first.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
		const edge = atEnd ? start + 2 ** (32 - Number(length)) : start;
		return Math.min(Math.max(edge + offset, 0), 0xffffffff);
	});
const ipv4 = fc.oneof(anyIpv4, edgeIpv4).map(dotted);

const group = fc.integer({ min: 0, max: 0xffff });
const ipv6 = fc
	.tuple(
		fc.oneof(
			group,
			fc.constantFrom(
				0,
				0x64,
				0x100,
				0x2001,
				0x2002,
				0x3fff,
				0xfc00,
				0xfd12,
				0xfe80,
				0xfebf,
				0xfec0,
				0xff02,
			),
		),
		fc.oneof(group, fc.constantFrom(0, 0xff9b, 0xdb8, 0x1ff, 0x200, 0xfff, 0x1000)),
		...Array.from({ length: 6 }, () => fc.oneof(fc.constantFrom(0, 1, 0xffff), group)),
	)
	.map((groups) => groups.map((one) => one.toString(16)).join(':'));

/** The IPv4 address that stands for an IPv6 one: mapped, compatible, translated, by NAT64 or by 6to4. */
function embedded(address: ipaddr.IPv6): string | undefined {
	const { parts } = address;
	const dottedAt = (at: number) => dotted(parts[at] * 65536 + parts[at + 1]);
	const isZeroOrOnes = (part: number) => part === 0 || part === 0xffff;
	const leading = parts.slice(0, 4).every((part) => part === 0);
	if (leading && isZeroOrOnes(parts[4]) && isZeroOrOnes(parts[5])) return dottedAt(6);
	// 64:ff9b:1::/48 (RFC 8215) is for local use
	if (address.range() === 'rfc6052' && parts[2] === 0) return dottedAt(6);
	return address.range() === '6to4' ? dottedAt(1) : undefined;
}

describe('what an address leads to', () => {
	it('is, for IPv4, what Node’s BlockList finds in the registry', () => {
		fc.assert(
			fc.property(ipv4, (address) => {
				expect(kindOf(address) !== 'public').toBe(special4.check(address, 'ipv4'));
			}),
			{ numRuns: 20_000 },
		);
	});

	it('is, for IPv4, what ipaddr.js says', () => {
		fc.assert(
			fc.property(ipv4, (address) => {
				const range = ipaddr.IPv4.parse(address).range();
				const kind = kindOf(address);
				expect(kind === 'loopback').toBe(range === 'loopback' || range === 'unspecified');
				expect(kind === 'linkLocal').toBe(range === 'linkLocal');
				// relays that anyone may run are of the public internet
				const isPublic = ['unicast', 'as112', 'amt'].includes(range);
				expect(kind === 'public').toBe(isPublic);
			}),
			{ numRuns: 20_000 },
		);
	});

	it('is, for IPv6, what Node’s BlockList finds in the registry, or that of the IPv4 address in it', () => {
		fc.assert(
			fc.property(ipv6, (address) => {
				const inside = embedded(ipaddr.IPv6.parse(address));
				const isLocal = /^(0:){7}[01]$/.test(address);
				const isSpecial = isLocal
					? true
					: inside === undefined
						? special6.check(address, 'ipv6')
						: special4.check(inside, 'ipv4');
				expect(kindOf(address) !== 'public').toBe(isSpecial);
			}),
			{ numRuns: 20_000 },
		);
	});

	it('is, for IPv6, never public where ipaddr.js says that it is not', () => {
		fc.assert(
			fc.property(ipv6, (address) => {
				const parsed = ipaddr.IPv6.parse(address);
				const range = parsed.range();
				const kind = kindOf(address);
				if (range === 'linkLocal') expect(kind).toBe('linkLocal');
				if (range === 'loopback' || range === 'unspecified') expect(kind).toBe('loopback');
				const inside = embedded(parsed);
				if (inside !== undefined && !['loopback', 'unspecified'].includes(range)) {
					expect(kind).toBe(kindOf(inside));
				} else if (range !== 'unicast') expect(kind).not.toBe('public');
			}),
			{ numRuns: 20_000 },
		);
	});
});
