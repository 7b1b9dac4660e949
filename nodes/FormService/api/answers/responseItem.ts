import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { attachFiles } from '../files/attachFiles';
import type { Sender } from '../sender';
import { simplifyResponse } from './simplify';

export type ResponseOutput = {
	/** Simplified, or the record as it came. */
	simplify: boolean;
	/** The start of the names of the binary fields that take the files; undefined for no files. */
	filePrefix: string | undefined;
};

/** A response as an item of its own: items of one run can share a listing, never a record. */
export async function toResponseItem(
	sender: Sender,
	record: IDataObject,
	{ simplify, filePrefix }: ResponseOutput,
): Promise<INodeExecutionData> {
	const copy = structuredClone(record);
	const item: INodeExecutionData = { json: simplify ? simplifyResponse(copy) : copy };
	if (filePrefix !== undefined) await attachFiles(sender, item, record, filePrefix);
	return item;
}
