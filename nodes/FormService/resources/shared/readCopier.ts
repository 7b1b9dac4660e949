import type { IDataObject } from 'n8n-workflow';
import { withoutSecrets } from '../../api/records';
import type { Input } from '../../parameters/input';
import { readSwitch } from '../../parameters/input';

/** Reads Include Secrets, and gives what copies a record: items share nothing, even if their run reads a list once. */
export function readCopier(input: Input): (record: IDataObject) => IDataObject {
	const includeSecrets = readSwitch(input, 'includeSecrets', 'Include Secrets', false);
	return includeSecrets ? structuredClone<IDataObject> : withoutSecrets;
}
