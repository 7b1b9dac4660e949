/** Writes numbers of any width, one after another, into as few bytes as hold them. */
export class BitWriter {
	private readonly bytes: number[] = [];
	private used = 0;

	/** @param width bits of the value that are written, 0 to 32, highest first */
	write(value: number, width: number): void {
		for (let left = width; left > 0; ) {
			const free = 8 - (this.used % 8);
			if (free === 8) this.bytes.push(0);
			const taken = Math.min(free, left);
			const part = Math.floor(value / 2 ** (left - taken)) % 2 ** taken;
			this.bytes[this.bytes.length - 1] += part * 2 ** (free - taken);
			this.used += taken;
			left -= taken;
		}
	}

	/** A number of up to 64 bits. */
	writeBig(value: bigint, width: number): void {
		if (width > 32) this.write(Number(value >> 32n), width - 32);
		this.write(Number(value & 0xffff_ffffn), Math.min(width, 32));
	}

	/** As many zeros as the number says, and a one. */
	writeUnary(value: number): void {
		for (let left = value; left > 0; left -= 32) this.write(0, Math.min(left, 32));
		this.write(1, 1);
	}

	toBuffer(): Buffer {
		return Buffer.from(this.bytes);
	}
}

/** Reads back what a BitWriter wrote. */
export class BitReader {
	private position = 0;

	constructor(private readonly bytes: Uint8Array) {}

	/** @throws RangeError past the end, as all readers here do */
	read(width: number): number {
		if (this.position + width > this.bytes.length * 8) throw new RangeError('The bits have ended');
		let value = 0;
		for (let left = width; left > 0; ) {
			const free = 8 - (this.position % 8);
			const taken = Math.min(free, left);
			const byte = this.bytes[Math.floor(this.position / 8)];
			value = value * 2 ** taken + (Math.floor(byte / 2 ** (free - taken)) % 2 ** taken);
			this.position += taken;
			left -= taken;
		}
		return value;
	}

	readBig(width: number): bigint {
		const high = width > 32 ? BigInt(this.read(width - 32)) << 32n : 0n;
		return high + BigInt(this.read(Math.min(width, 32)));
	}

	readUnary(): number {
		let value = 0;
		while (this.read(1) === 0) value += 1;
		return value;
	}

	/** Whether all that is left is what fills the last byte. */
	isAtEnd(): boolean {
		const left = this.bytes.length * 8 - this.position;
		return left < 8 && this.read(left) === 0;
	}
}
