import type { Explanation } from '../../errors';
import type { Content, Envelope } from '../../replies/content';
import { CHECK_BASE_URL, detailsOr, nounOf, quoted, TRY_LATER } from './words';
import type { Circumstances } from './words';

/** Explains a status from 400 to 499 that has no explanation of its own (specification, section 7). */
export function explainRefused(
	status: number,
	content: Content,
	envelope: Envelope | undefined,
	{ endpoint, baseUrl }: Circumstances,
): Explanation {
	if (content.kind === 'webPage' && NO_SUCH_PLACE.has(status)) {
		return {
			message: `There is no Form Service at ${baseUrl}: a web page came back (status ${status})`,
			description: CHECK_BASE_URL,
		};
	}
	const noun = nounOf(endpoint);
	if (status === 403) {
		const belongs =
			noun === 'address' ? '' : `check that the ${noun} belongs to the workspace of the token, or `;
		return {
			message: `The service does not allow this (status 403)${quoted(envelope)}`,
			description: `If this is about access, ${belongs}use the credential of an account that may do this.`,
		};
	}
	if (status === 404) {
		return {
			message: `The service knows no such ${noun}${quoted(envelope)}`,
			description:
				noun === 'address'
					? CHECK_BASE_URL
					: `Check the ID of the ${noun}. It may have been deleted, or belong to another workspace.`,
		};
	}
	return {
		message: `The service refused the request (status ${status})${quoted(envelope)}`,
		description: detailsOr(adviceFor(endpoint, content), envelope),
	};
}

/** What answers in JSON with a message is the service: the Base URL is right. */
function adviceFor({ effect }: Circumstances['endpoint'], { kind }: Content): string {
	if (effect !== 'read') return 'Check the values of this item.';
	return kind === 'json' ? TRY_LATER : CHECK_BASE_URL;
}

/** A page with another status, such as 403 or 413, can come from what stands before the service. */
const NO_SUCH_PLACE = new Set([404, 405, 410]);
