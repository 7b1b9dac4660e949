import type {
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { credentialType } from './built.mts';

/** What a user enters into the credential. n8n itself adds the two fields about domains. */
export type Account = {
	accessToken: string;
	baseUrl: string;
	allowedHttpRequestDomains?: string;
	allowedDomains?: string;
};

/** Stands in for n8n's own helper, which keeps credentials in n8n's database: it holds one account. */
export function createCredentialsHelper(account: Account): ICredentialsHelper {
	const helper: Partial<ICredentialsHelper> = {
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
		async authenticate(credentials, _typeName, options) {
			const authenticate = credentialType.authenticate as (
				...given: [ICredentialDataDecryptedObject, IHttpRequestOptions]
			) => Promise<IHttpRequestOptions>;
			return await authenticate(credentials, options as IHttpRequestOptions);
		},
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		preAuthentication: async () => await Promise.resolve(undefined),
	};
	return helper as ICredentialsHelper;
}
