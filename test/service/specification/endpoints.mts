import type { FastifyInstance } from 'fastify';
import type { Parts } from '../parts.mts';
import { guard } from './access.mts';
import { formEndpoints } from './forms.mts';
import { responseEndpoints } from './responses.mts';
import { settingsEndpoint } from './settings.mts';

/** The seven endpoints of section 4, behind the guard. */
export function apiPlugin(parts: Parts) {
	return async (api: FastifyInstance) => {
		api.addHook('onRequest', guard(parts));
		formEndpoints(api, parts);
		responseEndpoints(api, parts);
		settingsEndpoint(api, parts);
	};
}
