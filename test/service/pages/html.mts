import type { FastifyReply } from 'fastify';

/** Text that is already markup. `html` escapes everything else. */
export class Markup {
	readonly text: string;

	constructor(text: string) {
		this.text = text;
	}
}

type Part = Markup | string | number | null | undefined | false | Part[];

/** A piece of HTML. Inserted values are escaped unless they are markup; lists are joined. */
export function html(pieces: TemplateStringsArray, ...parts: Part[]): Markup {
	return new Markup(pieces.reduce((text, piece, index) => text + render(parts[index - 1]) + piece));
}

function render(part: Part): string {
	if (part instanceof Markup) return part.text;
	if (Array.isArray(part)) return part.map(render).join('');
	if (part === null || part === undefined || part === false) return '';
	return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = new Markup(`<style>
	:root { color-scheme: light dark; }
	body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
	.field { margin: 0 0 1.25rem; padding: 0; border: 0; }
	input:not([type=radio], [type=checkbox]), select, textarea { display: block; width: 100%; font: inherit; }
</style>`);

/** Sends a page with its title as the heading. */
export function sendPage(reply: FastifyReply, title: string, content: Markup, status = 200) {
	const page = html`<!doctype html>
		<html lang="en">
			<meta charset="utf-8" />
			<meta name="viewport" content="width=device-width" />
			<title>${title}</title>
			${STYLE}
			<main>
				<h1>${title}</h1>
				${content}
			</main>
			<footer><small>A stand-in for Form Service, for tests and demos.</small></footer>
		</html>`;
	return reply.code(status).type('text/html; charset=utf-8').send(page.text);
}

export const sendNotFound = (reply: FastifyReply) =>
	sendPage(reply, 'Not found', html`<p><a href="/">All forms</a></p>`, 404);
