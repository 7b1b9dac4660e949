import type {
	ICredentialDataDecryptedObject,
	ICredentialsExpressionResolveValues,
	IExecuteData,
	IHttpRequestOptions,
	INodeCredentialsDetails,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { workflow as n8n } from './core.mts';
import { credentialTypes } from './package.mts';

/** What a person enters into the credential; a field that begins with `=` is an expression. */
export type Account = { accessToken: string; baseUrl: string };

/** How long n8n takes to decrypt a credential, for tests in which that differs from item to item. */
export const decrypting = { wait: async (): Promise<void> => {} };

/**
 * Stands in for n8n's own helper, which keeps credentials in n8n's database: it holds one account,
 * and signs requests by the rules of the credential type as n8n does.
 */
export class OneAccount extends n8n.ICredentialsHelper {
	private readonly account: Account;

	constructor(account: Account) {
		super();
		this.account = account;
	}

	/** As n8n: where there are items, a field that is an expression is resolved for the item at hand. */
	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		_details: INodeCredentialsDetails,
		_type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		_raw?: boolean,
		values?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		await decrypting.wait();
		const fields = { ...this.account };
		if (values === undefined) return fields;
		const { workflow, node, runExecutionData, runIndex, itemIndex, connectionInputData } = values;
		return workflow.expression.getParameterValue(
			fields,
			runExecutionData,
			runIndex,
			itemIndex,
			node.name,
			connectionInputData,
			mode,
			{},
			executeData,
		) as ICredentialDataDecryptedObject;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const authenticate = credentialTypes.get(typeName)?.authenticate;
		if (typeof authenticate !== 'function') throw new Error(`${typeName} does not sign requests`);
		return await authenticate(credentials, options);
	}

	getCredentialsProperties(type: string) {
		return credentialTypes.get(type)?.properties ?? [];
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async preAuthentication(): Promise<undefined> {}

	async runPreAuthentication(): Promise<undefined> {}

	async getCredentials(): Promise<never> {
		throw new Error('There is no stored credential in a test');
	}

	async updateCredentials(): Promise<void> {}

	async updateCredentialsOauthTokenData(): Promise<void> {}
}
