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

const STYLE = `
	:root { color-scheme: light dark; }
	body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
	.field { margin: 0 0 1.25rem; padding: 0; border: 0; }
	label, legend { font-weight: 600; }
	label label { font-weight: 400; }
	input:not([type=radio], [type=checkbox]), select, textarea { display: block; width: 100%; font: inherit; }
	[role=alert], .fault { color: #d3261e; }
`;

export type Page = {
	title: string;
	content: Markup;
	/** a script of the page's own; no page with one shows markup of a form's author */
	script?: string;
	status?: number;
};

/** Sends a page. */
export function sendPage(reply: FastifyReply, { title, content, script, status = 200 }: Page) {
	const page = html`<!doctype html>
		<html lang="en">
			<meta charset="utf-8" />
			<meta name="viewport" content="width=device-width" />
			<title>${title}</title>
			<style>
				${new Markup(STYLE)}
			</style>
			<main>${content}</main>
			<footer><small>A stand-in for Form Service, for tests and demos.</small></footer>
			${script !== undefined &&
			html`<script>
				${new Markup(script)};
			</script>`}
		</html>`;
	const scripts = script === undefined ? `'none'` : `'unsafe-inline'`;
	const policy = `default-src 'none'; style-src 'unsafe-inline'; connect-src 'self'; script-src ${scripts}`;
	return reply
		.code(status)
		.type('text/html; charset=utf-8')
		.header('content-security-policy', policy)
		.send(page.text);
}

export const notFoundPage: Page = {
	title: 'Not found',
	status: 404,
	content: html`<h1>Not found</h1>
		<p>There is nothing at this address. <a href="/">All forms</a></p>`,
};
