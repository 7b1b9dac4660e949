import type { FastifyInstance } from 'fastify';
import type { Parts } from '../parts.mts';
import { checkSettings } from './settingsRules.mts';
import { formOf } from './access.mts';
import { invalid, ServiceError } from './envelope.mts';

/** Endpoint 7: updates any subset of the settings of section 2.5. */
export function settingsEndpoint(api: FastifyInstance, parts: Parts) {
	api.post<{ Params: { id: string } }>('/forms/:id/settings', (request) => {
		const form = formOf(request, parts, request.params.id);
		const check = checkSettings(objectOf(request.body));
		if (!check.ok) throw invalid(check.errors);
		const { id, settings, updatedAt } = parts.store.editSettings(form.id, check.settings);
		return {
			success: true,
			message: 'Form settings updated.',
			data: { id, name: settings.name, updated_at: updatedAt },
		};
	});
}

/** The body as an object, which it must be. */
export function objectOf(body: unknown): Record<string, unknown> {
	if (typeof body !== 'object' || body === null || Array.isArray(body)) {
		throw new ServiceError(400, 'The body must be a JSON object.');
	}
	return body as Record<string, unknown>;
}
