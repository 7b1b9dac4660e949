import { randomUUID } from 'crypto';
import { sleep } from 'n8n-workflow';
import { clock } from './clock';

/** Bytes that are parsed at a time, which takes some milliseconds. */
const PIECE_BYTES = 1024 * 1024;

/** Of a list, so much is passed over byte by byte until its first elements are cut off. */
const FIRST_PIECE_SHARE = 1 / 8;

/** After so many milliseconds of parsing, the rest of n8n has a turn. */
const LONGEST_TURN_MS = 8;

/** The levels of a body that are read: ten times what a listing of responses has. */
const MAX_LEVELS = 100;

/** Objects and lists of a body that are read: 100,000 responses with 15 answers, at half a gigabyte. */
const MAX_CONTAINERS = 2_000_000;

/** How deep in a body the list may be that is parsed in pieces. */
const MAX_LIST_DEPTH = 8;

/** A body has more levels than n8n could store, or more objects and lists than its memory stands. */
export class TooMuch extends Error {
	constructor(readonly kind: 'tooDeep' | 'tooMany') {
		super(kind);
	}
}

/**
 * What JSON.parse gives. The long list of a large body is parsed some elements at a time, so that
 * the rest of n8n has its turns, and neither the text of the whole nor what is too much is ever in
 * memory.
 *
 * @param body text in UTF-8
 * @throws SyntaxError where JSON.parse does; TooMuch
 */
export async function parseJson(body: Buffer, pieceBytes = PIECE_BYTES): Promise<unknown> {
	if (body.length <= pieceBytes) return parseWhole(textOf(body));
	const pieces = new Pieces(body, pieceBytes);
	const elements: unknown[] = [];
	let turn = clock.now();
	for (let piece = pieces.next(); piece !== undefined; piece = pieces.next()) {
		for (const element of piece) elements.push(element);
		if (clock.now() - turn < LONGEST_TURN_MS) continue;
		await sleep(0);
		turn = clock.now();
	}
	const { list } = pieces;
	if (list === undefined) return parseWhole(textOf(body));
	const place = randomUUID();
	const before = textOf(body.subarray(0, list.from));
	const around = parseWhole(`${before}"${place}"${body.toString('utf8', list.to)}`);
	return withList(around, place, elements);
}

function parseWhole(text: string): unknown {
	const value: unknown = JSON.parse(text);
	containersIn(value);
	return value;
}

/** The text without a byte order mark, and without blanks around it. */
export function textOf(body: Buffer): string {
	return body
		.toString('utf8')
		.replace(/^\uFEFF/, '')
		.trim();
}

/** Counts objects and lists, and goes down no further than the levels that are read: the stack stands that. */
function containersIn(value: unknown, levels = MAX_LEVELS): number {
	if (!isContainer(value)) return 0;
	if (levels === 0) throw new TooMuch('tooDeep');
	let count = 1;
	if (Array.isArray(value)) {
		for (const element of value)
			if (isContainer(element)) count += containersIn(element, levels - 1);
		return count;
	}
	// without a list of the values: there can be a million objects
	for (const name in value) {
		const inner = value[name];
		if (isContainer(inner)) count += containersIn(inner, levels - 1);
	}
	return count;
}

function isContainer(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null;
}

/** Puts a list where there is one that holds the place alone. */
function withList(value: unknown, place: string, list: unknown[], levels = MAX_LIST_DEPTH) {
	if (Array.isArray(value) && value[0] === place) return list;
	if (levels === 0 || !isContainer(value)) return value;
	for (const name of Object.keys(value)) {
		value[name] = withList(value[name], place, list, levels - 1);
	}
	return value;
}

const [QUOTE, BACKSLASH, COMMA, COLON, OBJECT, LIST, OBJECT_END, LIST_END] =
	Buffer.from('"\\,:{[}]');

/** The longest text between two elements that is looked for: with the name of the first attribute. */
const MAX_SEPARATOR = 100;

/**
 * Cuts the first long list of a body at its commas. Which commas are its own shows a pass over all
 * bytes from its beginning; but of a guess it shows as well when the piece before it can be parsed:
 * within a text or an element, it would end too early.
 */
class Pieces {
	/** Where the elements of the list begin and end. */
	list?: { from: number; to: number };

	private at = 0;
	private depth = 0;
	/** Objects and lists in the elements that have been given. */
	private parsed = 0;
	/** Where what is not cut off yet of each open object or list begins, by its depth. */
	private readonly starts = [0];
	/** Of the list, while it is open. */
	private listDepth?: number;
	/** What stood between two elements of the list. */
	private separator?: Buffer;

	constructor(
		private readonly body: Buffer,
		private readonly pieceBytes: number,
	) {}

	/** The next elements of the list; undefined after the last ones, when the whole body has been seen. */
	next(): unknown[] | undefined {
		return this.guess() ?? this.scan();
	}

	private guess(): unknown[] | undefined {
		const { body, separator, at, pieceBytes, listDepth } = this;
		if (separator === undefined || listDepth === undefined) return undefined;
		const found = body.indexOf(separator, at + pieceBytes);
		if (found === -1) return undefined;
		const elements = this.elementsTo(found + 1);
		if (elements === undefined) this.separator = undefined;
		else this.starts[listDepth] = this.at = found + 2;
		return elements;
	}

	private scan(): unknown[] | undefined {
		const { body, starts } = this;
		const pieceBytes = this.pieceBytes * (this.list === undefined ? FIRST_PIECE_SHARE : 1);
		let { at, depth } = this;
		// what is too much is not parsed first
		let most = MAX_CONTAINERS - this.parsed;
		let elements: unknown[] | undefined;
		for (; at < body.length && elements === undefined; at++) {
			const byte = body[at];
			if (byte === QUOTE) {
				at = endOfText(body, at);
			} else if (byte === OBJECT || byte === LIST) {
				if (--most < 0) throw new TooMuch('tooMany');
				starts[++depth] = at + 1;
			} else if (byte === OBJECT_END || byte === LIST_END) {
				if (depth === this.listDepth) elements = this.endOfList(at);
				// one too many is for JSON.parse to tell
				depth = Math.max(0, depth - 1);
			} else if (byte === COMMA && at - starts[depth] >= pieceBytes) {
				elements = this.cut(depth, at);
			}
		}
		Object.assign(this, { at, depth });
		return elements;
	}

	private cut(depth: number, at: number): unknown[] | undefined {
		const { body, starts } = this;
		const from = starts[depth];
		const isList = depth <= MAX_LIST_DEPTH && body[from - 1] === LIST;
		if (this.list === undefined && isList) {
			this.list = { from, to: body.length };
			this.listDepth = depth;
			const colon = body.subarray(at, at + MAX_SEPARATOR).indexOf(COLON);
			this.separator = body.subarray(at - 1, at + Math.max(colon + 1, 2));
		}
		if (depth !== this.listDepth) return undefined;
		const elements = this.elementsTo(at) ?? notJson();
		starts[depth] = at + 1;
		return elements;
	}

	private endOfList(at: number): unknown[] {
		const elements = this.elementsTo(at) ?? notJson();
		this.list!.to = at;
		this.listDepth = undefined;
		return elements;
	}

	/** The elements from the last cut on; undefined where they do not end there. */
	private elementsTo(to: number): unknown[] | undefined {
		const depth = this.listDepth!;
		const elements = elementsIn(this.body, this.starts[depth] - 1, to);
		this.parsed += containersIn(elements, MAX_LEVELS - depth + 1);
		if (this.parsed > MAX_CONTAINERS) throw new TooMuch('tooMany');
		return elements;
	}
}

/**
 * The elements between two bytes of a body, of which each begins, parts or ends a list: at least one,
 * or a comma would have nothing beside it. For so long, the bytes are the brackets of a list: to put
 * them around the text would copy it.
 */
function elementsIn(body: Buffer, before: number, after: number): unknown[] | undefined {
	const [first, last] = [body[before], body[after]];
	try {
		body[before] = LIST;
		body[after] = LIST_END;
		const elements = JSON.parse(body.toString('utf8', before, after + 1)) as unknown[];
		return elements.length > 0 ? elements : undefined;
	} catch {
		return undefined;
	} finally {
		body[before] = first;
		body[after] = last;
	}
}

function notJson(): never {
	throw new SyntaxError('The elements of a list cannot be read');
}

/** Where the text ends that begins here. */
function endOfText(body: Buffer, start: number): number {
	let at = start + 1;
	for (; at < body.length && body[at] !== QUOTE; at++) if (body[at] === BACKSLASH) at++;
	return at;
}
