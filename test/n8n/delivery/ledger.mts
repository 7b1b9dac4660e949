import type { INodeExecutionData, IRunExecutionData } from 'n8n-workflow';

/** A response in an execution that n8n has recorded. */
export type Delivery = { uuid: string; executionId: string };

export type Ledger = {
	/** responses in no execution */
	lost: string[];
	/** responses in more than one place, with the executions */
	repeated: Array<{ uuid: string; executionIds: string[] }>;
};

/** What the trigger has put into an execution, whether or not any node has run on it. */
export function triggered(data: IRunExecutionData, trigger: string): INodeExecutionData[] {
	const ran = data.resultData.runData[trigger]?.[0]?.data?.main;
	const stack = data.executionData?.nodeExecutionStack ?? [];
	const waiting = stack.find(({ node }) => node.name === trigger)?.data.main;
	return (ran ?? waiting ?? []).flatMap((items) => items ?? []);
}

/** Compares what has been submitted with what has been delivered. */
export function settle(submitted: readonly string[], deliveries: readonly Delivery[]): Ledger {
	const executions = new Map<string, string[]>();
	for (const { uuid, executionId } of deliveries) {
		executions.set(uuid, [...(executions.get(uuid) ?? []), executionId]);
	}
	return {
		lost: submitted.filter((uuid) => !executions.has(uuid)),
		repeated: [...executions]
			.filter(([, executionIds]) => executionIds.length > 1)
			.map(([uuid, executionIds]) => ({ uuid, executionIds })),
	};
}

/** What has been delivered although it was not submitted: it was there before the trigger, or is nobody's. */
export function unexpectedIn(
	submitted: readonly string[],
	deliveries: readonly Delivery[],
): string[] {
	const expected = new Set(submitted);
	return [...new Set(deliveries.map(({ uuid }) => uuid))].filter((uuid) => !expected.has(uuid));
}
