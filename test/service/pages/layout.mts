import type { FastifyReply } from 'fastify';
import { newUnguessableName } from '../store/values.mts';

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
	:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --paper: #fff; --ground: #f2f4f7;
		--line: #b9c2ce; --accent: #2353c4; --bad: #b3261e; }
	@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf2; --soft: #a3afbf; --paper: #1b212b;
		--ground: #12161d; --line: #465366; --accent: #8db0ff; --bad: #ff9d94; } }
	* { box-sizing: border-box; }
	body { margin: 0; padding: 2rem 1rem; background: var(--ground); color: var(--ink);
		font: 1rem/1.5 system-ui, sans-serif; }
	main { max-width: 40rem; margin: 0 auto; padding: 2rem; background: var(--paper); border-radius: .75rem;
		box-shadow: 0 1px 3px #0003; }
	h1 { margin-top: 0; font-size: 1.6rem; line-height: 1.2; }
	a { color: var(--accent); }
	label, legend { display: block; font-weight: 600; padding: 0; }
	.field { margin: 0 0 1.25rem; padding: 0; border: 0; min-width: 0; }
	.choice { display: flex; gap: .5rem; align-items: center; font-weight: 400; padding: .15rem 0; }
	.hint, footer { color: var(--soft); font-size: .9rem; }
	.fault { color: var(--bad); margin: .25rem 0 0; }
	input:not([type=radio], [type=checkbox]), select, textarea { width: 100%; margin-top: .25rem;
		padding: .55rem .7rem; border: 1px solid var(--line); border-radius: .4rem; font: inherit;
		background: var(--paper); color: inherit; }
	[aria-invalid=true] { border-color: var(--bad); }
	:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
	button { padding: .65rem 1.4rem; border: 0; border-radius: .4rem; background: var(--accent);
		color: var(--paper); font: inherit; font-weight: 600; cursor: pointer; }
	footer { max-width: 40rem; margin: 1rem auto 0; text-align: center; }
	td, th { text-align: left; padding: .35rem .75rem .35rem 0; vertical-align: top; }
`;

export type Page = {
	title: string;
	content: Markup;
	/** a script of the page's own; no other one runs */
	script?: string;
	status?: number;
};

/** Sends a page. Its policy lets no script run but the page's own, whatever a form's author wrote. */
export function sendPage(reply: FastifyReply, page: Page) {
	const { title, content, script, status = 200 } = page;
	const nonce = newUnguessableName();
	const document = html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<title>${title}</title>
				<style>
					${new Markup(STYLE)}
				</style>
			</head>
			<body>
				<main>${content}</main>
				<footer>A stand-in for Form Service, for tests and demos.</footer>
				${script !== undefined &&
				html`<script nonce="${nonce}">
					${new Markup(script)};
				</script>`}
			</body>
		</html>`;
	return reply
		.code(status)
		.type('text/html; charset=utf-8')
		.header('cache-control', 'no-store')
		.header(
			'content-security-policy',
			`default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; connect-src 'self'; script-src 'nonce-${nonce}'`,
		)
		.send(document.text);
}
