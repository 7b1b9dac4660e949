import type {
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	IHttpRequestOptions,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { authenticate } from './built.mts';
import { core } from './core.mts';

export const WORKFLOW_ID = 'workflow-1';

/** What a user enters into the credential. n8n itself adds the two fields about domains. */
export type Account = {
	accessToken: string;
	baseUrl: string;
	allowedHttpRequestDomains?: string;
	allowedDomains?: string;
};

/** Stands in for n8n's own helper, which keeps credentials in n8n's database: it holds one account. */
function createCredentialsHelper(account: Account): Partial<ICredentialsHelper> {
	return {
		/** As n8n: where there are items, an expression is resolved for the item at hand. */
		async getDecrypted(_data, _details, _type, mode, executeData, _raw, values) {
			if (values === undefined) return { ...account };
			const { workflow, node, runExecutionData, runIndex, itemIndex } = values;
			return workflow.expression.getParameterValue(
				{ ...account },
				runExecutionData,
				runIndex,
				itemIndex,
				node.name,
				values.connectionInputData,
				mode,
				{},
				executeData,
			) as ICredentialDataDecryptedObject;
		},
		authenticate: async (credentials, _type, options) =>
			await authenticate(credentials, options as IHttpRequestOptions),
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		preAuthentication: async () => await Promise.resolve(undefined),
	};
}

export function createAdditionalData(
	account: Account,
	mode: WorkflowExecuteMode,
): IWorkflowExecuteAdditionalData {
	const executionId = 'execution-1';
	const data: Partial<IWorkflowExecuteAdditionalData> = {
		executionId,
		workflowId: WORKFLOW_ID,
		credentialsHelper: createCredentialsHelper(account) as ICredentialsHelper,
		hooks: new core.ExecutionLifecycleHooks(mode, executionId, {} as never),
		webhookWaitingBaseUrl: 'http://127.0.0.1:5678/',
		formWaitingBaseUrl: 'http://127.0.0.1:5678/',
	};
	return data as IWorkflowExecuteAdditionalData;
}
