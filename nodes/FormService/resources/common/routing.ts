import type { INodePropertyRouting } from 'n8n-workflow';
import type { Endpoint } from '../../api/endpoints';

/**
 * What an operation tells n8n's declarative routing: its endpoint, and that the pagination function
 * of the node (routing/runItem) does the sending.
 *
 * @see https://docs.n8n.io/integrations/creating-nodes/build/reference/node-base-files/declarative-style-parameters/
 */
export function routingOf({ method, url }: Endpoint): INodePropertyRouting {
	return { request: { method, url }, send: { paginate: true } };
}
