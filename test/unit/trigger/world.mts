import type { IDataObject, INode } from 'n8n-workflow';
import type { World } from '../../../nodes/FormService/trigger/world.ts';

export const node: INode = {
	id: 'node-1',
	name: 'Trigger',
	type: 'n8n-nodes-formservice.formServiceTrigger',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** A world whose items are the records, in which nothing fails and no time goes by; and its log. */
export function quietWorld(changes: Partial<World> = {}): World & { logged: string[] } {
	const logged: string[] = [];
	return {
		node,
		logged,
		now: () => 0,
		log: { info: (text) => logged.push(text), warn: (text) => logged.push(text) },
		list: async () => ({ records: [], complete: true }),
		requestsSent: () => 1,
		toItem: async (record) => ({ json: record }),
		toItemWithoutFiles: async (record, _event, reason) => ({ json: { ...record, reason } }),
		...changes,
	};
}

export const record = (number: number): IDataObject => ({ uuid: `response-${number}`, number });
