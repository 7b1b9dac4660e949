import type { FastifyInstance } from 'fastify';
import type { Parts } from '../parts.mts';
import type { Form } from '../store/forms.mts';
import { html, sendPage } from './layout.mts';

/** The page at the root, which says what this is, and the login page, which lets nobody in. */
export function indexRoutes({ store, origin }: Parts) {
	return async (pages: FastifyInstance) => {
		pages.get('/', (_request, reply) => {
			const account = store.firstAccount();
			const forms = account ? store.forms(account.id) : [];
			return sendPage(reply, {
				title: 'Form Service (stand-in)',
				content: html`<h1>${account?.workspace.name ?? 'No workspace yet'}</h1>
					<p>
						<strong>This is a stand-in for Form Service, made for tests and demos.</strong>
						It follows the service's specification and keeps nothing that matters: do not give it
						real data.
					</p>
					<h2>Forms</h2>
					<table>
						<tr>
							<th scope="col">Form</th>
							<th scope="col">ID</th>
							<th scope="col">State</th>
							<th scope="col">Responses</th>
						</tr>
						${forms.map(row)}
					</table>
					<p class="hint">Base URL of the API: <code>${origin()}/api/v1</code></p>`,
			});
		});

		pages.get('/login', (_request, reply) =>
			sendPage(reply, {
				title: 'Log in',
				content: html`<h1>Log in</h1>
					<p>
						A request to the API without <code>Accept: application/json</code> ends here. Nobody can
						log in to this stand-in.
					</p>
					<p><a href="/">All forms</a></p>`,
			}),
		);
	};

	function row({ id, settings, trackIncomplete }: Form) {
		return html`<tr>
			<td><a href="/f/${id}">${settings.name as string}</a></td>
			<td><code>${id}</code></td>
			<td>${settings.is_closed ? 'closed' : 'open'}${trackIncomplete && ', tracks incomplete'}</td>
			<td>${store.completeCount(id)}</td>
		</tr>`;
	}
}
