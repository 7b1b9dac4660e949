/** What a probe has found: shapes and counts, never values. */
export type Report = {
	/** A sentence. */
	verdict: string;
	isAsDocumented: boolean;
	sections: Section[];
};

/** A list of names belongs to a type. */
export type Section = { title: string; facts: Readonly<Record<string, Fact>> };

export type Fact = string | number | readonly string[];

const WIDTH = 80;

/** Splits a text into lines of at most so many characters, between words. */
function wrap(text: string, width: number): string[] {
	const lines: string[] = [];
	for (const word of text.split(' ')) {
		const line = lines.at(-1);
		if (line !== undefined && line.length + 1 + word.length <= width) {
			lines[lines.length - 1] = `${line} ${word}`;
		} else lines.push(word);
	}
	return lines;
}

function renderSection({ title, facts }: Section): string[] {
	const names = Object.keys(facts);
	const indent = Math.min(27, Math.max(...names.map(({ length }) => length))) + 4;
	const rows = Object.entries(facts).flatMap(([name, fact]) => {
		const text = Array.isArray(fact) ? fact.join(', ') || 'none' : String(fact);
		const [first, ...others] = wrap(text, WIDTH - indent);
		const label = `  ${name}`.padEnd(indent - 1);
		const begin =
			label.length < indent ? [`${label} ${first}`] : [label, ' '.repeat(indent) + first];
		return [...begin, ...others.map((line) => ' '.repeat(indent) + line)];
	});
	return ['', title, ...rows];
}

/** A report for an 80-column terminal. */
export function renderText({ verdict, sections }: Report): string {
	return [...sections.flatMap(renderSection), '', ...wrap(verdict, WIDTH), ''].join('\n');
}
