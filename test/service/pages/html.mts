/** Text that is markup already. Everything else that goes into `html` is escaped. */
export class Markup {
	readonly text: string;

	constructor(text: string) {
		this.text = text;
	}
}

type Part = Markup | string | number | null | undefined | false | Part[];

/** A piece of HTML; what is put into it is escaped unless it is markup, and lists are joined. */
export function html(pieces: TemplateStringsArray, ...parts: Part[]): Markup {
	return new Markup(pieces.reduce((text, piece, index) => text + render(parts[index - 1]) + piece));
}

function render(part: Part): string {
	if (part instanceof Markup) return part.text;
	if (Array.isArray(part)) return part.map(render).join('');
	if (part === null || part === undefined || part === false) return '';
	return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
