import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { fetchBinary } from './binary';
import type { Sender } from '../sender';
import { filesOf } from '../answers/simplify';

/**
 * Downloads the files of a response into the binary fields `<prefix>0`, `<prefix>1`, ... of an item,
 * in the order of the answers.
 *
 * @throws NodeApiError or NodeOperationError when a file cannot be had; the item is then unchanged
 */
export async function attachFiles(
	sender: Sender,
	item: INodeExecutionData,
	record: IDataObject,
	prefix: string,
): Promise<void> {
	const binary: Array<[string, IBinaryData]> = [];
	for (const [index, file] of filesOf(record).entries()) {
		binary.push([`${prefix}${index}`, await fetchBinary(sender, file)]);
	}
	if (binary.length > 0) item.binary = { ...item.binary, ...Object.fromEntries(binary) };
}
