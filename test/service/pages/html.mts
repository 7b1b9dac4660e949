import type { FastifyReply } from 'fastify';

/** A piece of HTML, which `html` inserts as it is; it escapes everything else. */
export type Markup = { markup: string };
type Part = Markup | string | number | null | undefined | false | Part[];

/** A piece of HTML with values in it; lists are joined. */
export const html = (pieces: TemplateStringsArray, ...parts: Part[]): Markup => ({
	markup: pieces.reduce((text, piece, index) => text + render(parts[index - 1]) + piece),
});

function render(part: Part): string {
	if (Array.isArray(part)) return part.map(render).join('');
	if (part === null || part === undefined || part === false) return '';
	if (typeof part === 'object') return part.markup;
	return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Sends a page with its title as the heading. */
export function sendPage(reply: FastifyReply, title: string, content: Markup, status = 200) {
	const { markup } = html`<!doctype html>
		<html lang="en">
			<meta charset="utf-8" />
			<title>${title}</title>
			<h1>${title}</h1>
			${content}
			<p><small>A stand-in for Form Service, for tests and demos.</small></p>
		</html>`;
	return reply.code(status).type('text/html; charset=utf-8').send(markup);
}

export const sendNotFound = (reply: FastifyReply) =>
	sendPage(reply, 'Not found', html`<a href="/">All forms</a>`, 404);
