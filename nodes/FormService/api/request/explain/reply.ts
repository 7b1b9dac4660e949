import type { Explanation } from '../../errors';
import { readContent, unwrap } from '../../replies/content';
import type { Content, Envelope } from '../../replies/content';
import type { Outcome } from '../exchange';
import { mayHaveBeenTaken } from '../retry';
import { explainRefusal } from './limits';
import { explainRedirect } from './redirect';
import { explainRefused } from './refused';
import {
	asSentence,
	CHECK_BASE_URL,
	concealed,
	detailsOr,
	LOOK_FIRST,
	quoted,
	tried,
	TRY_LATER,
} from './words';
import type { Circumstances } from './words';

type Reply = Outcome & { kind: 'reply' };

/** Explains a reply that is not the success it should be. */
export function explainReply(reply: Reply, circumstances: Circumstances): Explanation {
	const content = readContent(reply.headers, reply.body);
	const envelope =
		content.kind === 'json' ? concealed(unwrap(content.value), circumstances) : undefined;
	const explanation = {
		httpCode: String(reply.status),
		...(reply.tooLarge
			? TOO_LARGE
			: (byStatus(reply, content, envelope, circumstances) ??
				byContent(reply, content, envelope, circumstances))),
	};
	const { effect } = circumstances.endpoint;
	// a service that breaks down (5xx) can have acted before, whatever its envelope says
	const saysNotDone = envelope?.failed === true && reply.status < 500;
	if (effect !== 'once' || !mayHaveBeenTaken(reply) || saysNotDone) return explanation;
	return {
		...explanation,
		message: `${asSentence(explanation.message)} The response may have been added or not`,
		description: LOOK_FIRST,
		mayHaveActed: true,
	};
}

const TOO_LARGE: Explanation = {
	message: 'The reply is larger than n8n can safely take at once',
	description:
		'Ask whoever runs the service to send it in pages, or delete responses that are no longer needed.',
	failure: { cause: 'configuration-invalid' },
};

function byStatus(
	{ status, headers }: Reply,
	content: Content,
	envelope: Envelope | undefined,
	circumstances: Circumstances,
): Explanation | undefined {
	const { origin } = circumstances;
	if (status === 429) return explainRefusal(headers, envelope, circumstances);
	if (status >= 300 && status < 400) return explainRedirect(headers, origin);
	if (status >= 500) {
		return {
			message: `The service could not answer (status ${status})${quoted(envelope)}`,
			description: TRY_LATER + tried(circumstances),
			failure: { cause: 'temporarily-unavailable' },
		};
	}
	if (status < 400) return undefined;
	if (status === 401) {
		return {
			message: `The service did not accept the access token${quoted(envelope)}`,
			description: 'Open the Form Service credential, enter a valid Access Token and save it.',
			failure: { cause: 'credential-invalid' },
		};
	}
	return {
		...explainRefused(status, content, envelope, circumstances),
		failure: { cause: 'configuration-invalid' },
	};
}

function byContent(
	{ status }: Reply,
	content: Content,
	envelope: Envelope | undefined,
	{ baseUrl, endpoint }: Circumstances,
): Explanation {
	if (content.kind === 'webPage') {
		return {
			message: `A web page came back from ${baseUrl} in place of data`,
			description: `${CHECK_BASE_URL} A login page means that the Access Token was not recognized.`,
			failure: { cause: 'configuration-invalid' },
		};
	}
	if (envelope?.failed) {
		return {
			message: `The service reported that it did not do this${quoted(envelope)}`,
			description: detailsOr(
				endpoint.effect === 'read' ? TRY_LATER : 'Check the values of this item.',
				envelope,
			),
			failure: { cause: 'configuration-invalid' },
		};
	}
	return {
		message: `The service sent ${UNUSABLE[content.kind]} (status ${status})`,
		description: TRY_LATER,
		failure: { cause: 'temporarily-unavailable' },
	};
}

const UNUSABLE: Record<Exclude<Content['kind'], 'webPage'>, string> = {
	empty: 'an empty reply',
	unreadable: 'a reply that is not whole JSON',
	tooDeep: 'a reply that is nested too deeply to be read',
	json: 'a reply that it does not call a success',
};
