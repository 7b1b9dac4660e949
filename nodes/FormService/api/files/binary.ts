import { NodeOperationError } from 'n8n-workflow';
import type { IBinaryData } from 'n8n-workflow';
import type { Explanation } from '../errors';
import { serviceError } from '../errors';
import type { Sender } from '../sender';
import { download } from './download';

export type RemoteFile = {
	url: string;
	/** The name that the file gets. */
	name?: string;
	/** Where it is known; otherwise what its server or its name says. */
	mimeType?: string;
	/** Whether the service itself made the link; else a respondent may have. */
	fromService?: boolean;
	/** Why what came is not the file that was asked for; undefined when it may be. */
	problemOf?: (data: Buffer) => Explanation | undefined;
};

/**
 * Downloads a file, in the form in which n8n keeps binary data.
 *
 * @throws NodeApiError or NodeOperationError when the file cannot be had
 */
export async function fetchBinary(sender: Sender, file: RemoteFile): Promise<IBinaryData> {
	const { context, itemIndex } = sender;
	const { helpers } = context;
	if (!('prepareBinaryData' in helpers)) {
		throw new NodeOperationError(
			context.getNode(),
			'Files cannot be downloaded while the editor loads its lists',
		);
	}
	const { url, fromService = false } = file;
	const { data, mimeType } = await download(sender, { url, fromService });
	const problem = file.problemOf?.(data);
	if (problem !== undefined) throw serviceError(context.getNode(), problem, itemIndex);
	return await helpers.prepareBinaryData(data, file.name, file.mimeType ?? mimeType);
}
