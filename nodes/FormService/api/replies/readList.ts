import { isEmpty } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import type { ListedNoun } from '../endpoints';
import type { Envelope } from '../envelope';
import { getListEntries, isRecord } from '../records';

const idSchema = z.union([
	z.string().min(1),
	z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER),
]);
const formSchema = z.object({ id: idSchema });
const recordSchema = z.union([z.object({ uuid: idSchema }), z.object({ id: idSchema })]);

const pageSchemas = {
	forms: z.array(formSchema),
	fields: z.array(recordSchema),
	responses: z.array(recordSchema),
};

/**
 * Returns the records of a list. Undefined if the reply has no list in one of the places of docs/contract.md, or
 * if a record has no ID.
 */
export function readList({ data }: Envelope, noun: ListedNoun): IDataObject[] | undefined {
	const places = isRecord(data) ? [data[noun], data.data, data] : [data];
	const entries = places.map(readEntries).find((list) => list !== undefined);
	return pageSchemas[noun].safeParse(entries).success ? (entries as IDataObject[]) : undefined;
}

/** An empty object is no list, because it can also be a record without attributes. */
function readEntries(value: unknown): unknown[] | undefined {
	return isRecord(value) && isEmpty(value) ? undefined : getListEntries(value);
}
