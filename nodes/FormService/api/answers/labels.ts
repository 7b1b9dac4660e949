const UNTITLED = 'Untitled';

/** As the name of a property it would be lost, or change the object itself. */
const UNUSABLE = '__proto__';

/**
 * Names for fields by their labels, each name once: a repeated label gets " (2)", then " (3)". A
 * label keeps its place against such additions, so "A", "A", "A (2)" become "A", "A (3)", "A (2)".
 */
export function tellApart(labels: readonly string[]): string[] {
	const wanted = labels.map((label) => (label.trim() === '' ? UNTITLED : label));
	const reserved = new Set([...wanted, UNUSABLE]);
	const used = new Set([UNUSABLE]);
	const counts = new Map<string, number>();
	return wanted.map((label) => {
		if (!used.has(label)) {
			used.add(label);
			return label;
		}
		let count = counts.get(label) ?? 1;
		let name: string;
		do {
			count += 1;
			name = `${label} (${count})`;
		} while (reserved.has(name) || used.has(name));
		counts.set(label, count);
		used.add(name);
		return name;
	});
}

/**
 * A text of the service for use inside a parameter's value. n8n evaluates every text in there that
 * starts with "=" as an expression; a name that a stranger chose must not be one.
 */
export function asPlainText(text: string): string {
	return text.startsWith('=') ? ` ${text}` : text;
}
