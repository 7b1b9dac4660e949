import type {
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';

/** The contexts of n8n from which a request can be sent with the credential. */
export type Context = IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions;

/** n8n's own request options that a person can set on the node. */
export type Transport = Pick<
	IHttpRequestOptions,
	'proxy' | 'skipSslCertificateValidation' | 'timeout' | 'allowedDomains'
>;

/** Who sends a request, and what the gate and the errors need to know of them. */
export type Sender = {
	context: Context;
	/** A trigger or a person waiting at the editor (`prompt`) goes before items (`bulk`). */
	urgency: 'prompt' | 'bulk';
	/** The input item that the request belongs to. */
	itemIndex?: number;
	/** When it aborts, what still waits is not sent, and the call rejects. */
	signal?: AbortSignal;
	transport?: Transport;
	/** False where the caller repeats by itself, as a polling trigger does with its next look. */
	retry?: boolean;
	/** Told of each request that leaves for the service, so that a trigger can keep to its allowance. */
	onSend?: () => void;
};
