import { randomUUID } from 'node:crypto';
import type {
	IConnections,
	IDataObject,
	INode,
	INodeExecutionData,
	IRunExecutionData,
} from 'n8n-workflow';
import { until } from '../command.mts';

export type WorkflowFile = {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IDataObject;
};

export const workflowNode = (
	name: string,
	type: string,
	attributes: Partial<INode> = {},
): INode => ({
	id: name,
	name,
	type,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
	...attributes,
});

type Account = { token: string; baseUrl: string };
/** A saved credential, as a node names it. */
export type Credential = { id: string; name: string };
type Saved = { id: string; name: string; versionId?: string; active?: boolean };
export type Execution = { id: string; status: string; data: IRunExecutionData };
export type Login = { email: string; password: string };

const PUBLISHED_WITHIN_MS = 60_000;
const EXECUTED_WITHIN_MS = 120_000;

/** A client of n8n's REST interface, with the requests of the editor that demos and tests need. */
export class N8nRest {
	private cookie = '';
	private readonly browserId = randomUUID();
	private readonly url: string;
	private readonly parse: (text: string) => IRunExecutionData;

	constructor(url: string, parse: (text: string) => IRunExecutionData) {
		this.url = url;
		this.parse = parse;
	}

	/** Creates the owner of a new n8n, or signs in to an n8n that has an owner. */
	async signIn({ email, password }: Login): Promise<void> {
		type Settings = { userManagement: { showSetupOnFirstLoad: boolean } };
		const { userManagement } = await this.send<Settings>('GET', '/rest/settings');
		const name = { firstName: 'Form', lastName: 'Demo' };
		await (userManagement.showSetupOnFirstLoad
			? this.send('POST', '/rest/owner/setup', { email, password, ...name })
			: this.send('POST', '/rest/login', { emailOrLdapLoginId: email, email, password }));
	}

	/** Saves an account of the service as a credential. */
	async saveAccount({ token, baseUrl }: Account): Promise<Credential> {
		const name = 'Form Service account';
		const data = { accessToken: token, baseUrl };
		const body = { name, type: 'formServiceApi', data };
		const { id } = await this.send<Saved>('POST', '/rest/credentials', body);
		return { id, name };
	}

	async createWorkflow(workflow: WorkflowFile): Promise<string> {
		const body = { settings: {}, ...workflow, active: false };
		return (await this.send<Saved>('POST', '/rest/workflows', body)).id;
	}

	async createTable(name: string, columns: string[]): Promise<string> {
		const body = { name, columns: columns.map((column) => ({ name: column, type: 'string' })) };
		return (await this.send<Saved>('POST', await this.tablesPath(), body)).id;
	}

	async listRows(tableId: string): Promise<IDataObject[]> {
		const path = `${await this.tablesPath()}/${tableId}/rows`;
		return (await this.send<{ data: IDataObject[] }>('GET', path)).data;
	}

	private async tablesPath(): Promise<string> {
		const { id } = await this.send<Saved>('GET', '/rest/projects/personal');
		return `/rest/projects/${id}/data-tables`;
	}

	/** Activates a workflow, and waits until it has polled. n8n 1.x has no publication status. */
	async activate(id: string): Promise<void> {
		const path = `/rest/workflows/${id}`;
		const { versionId } = await this.send<Saved>('GET', path);
		await this.send('POST', `${path}/activate`, { versionId });
		const isPublished = async () => {
			type Publication = { status: string; triggers?: unknown };
			const { status, triggers } = await this.send<Publication>(
				'GET',
				`${path}/publication-status`,
			).catch((error: Error) => {
				if (error.cause === 404) return { status: 'published', triggers: [] };
				throw error;
			});
			if (status === 'failed' || status === 'partial')
				throw new Error(`n8n could not publish ${id}: ${JSON.stringify(triggers)}`);
			return status === 'published';
		};
		if (!(await until(isPublished, PUBLISHED_WITHIN_MS, 100)))
			throw new Error(`n8n did not publish ${id} within ${PUBLISHED_WITHIN_MS / 1000} s.`);
	}

	/** Runs a workflow manually from its trigger with this name. Returns the finished execution. */
	async run(workflowId: string, triggerName = 'Start'): Promise<Execution> {
		const workflowData = await this.send('GET', `/rest/workflows/${workflowId}`);
		const body = { workflowData, triggerToStartFrom: { name: triggerName } };
		const path = `/rest/workflows/${workflowId}/run`;
		const { executionId } = await this.send<{ executionId: string }>('POST', path, body);
		return await this.waitForExecution(workflowId, ({ id }) => id === executionId);
	}

	/** Waits for a finished execution of a workflow that meets a condition. */
	async waitForExecution(
		workflowId: string,
		isWanted: (execution: Execution) => boolean,
	): Promise<Execution> {
		let executions: Execution[] = [];
		const findWanted = async () => {
			executions = await this.executions(workflowId);
			// n8n can save the data a moment after the end
			return executions.find(
				(execution) => hasEnded(execution) && hasData(execution) && isWanted(execution),
			);
		};
		const found = await until(findWanted, EXECUTED_WITHIN_MS, 250);
		if (found) return found;
		const seen = executions.map(({ id, status }) => `${id} (${status})`).join(', ') || 'none';
		throw new Error(`The execution of ${workflowId} did not come or end. There are: ${seen}.`);
	}

	async executions(workflowId: string): Promise<Execution[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const path = `/rest/executions?filter=${filter}&limit=100`;
		const { results } = await this.send<{ results: Saved[] }>('GET', path);
		return await Promise.all(results.map(async ({ id }) => await this.execution(id)));
	}

	private async execution(id: string): Promise<Execution> {
		type Stored = { status: string; data: string };
		const { status, data } = await this.send<Stored>('GET', `/rest/executions/${id}`);
		return { id, status, data: this.parse(data) };
	}

	/** Returns the `data` of the reply, or throws with the status as the cause. */
	async send<T = unknown>(method: string, path: string, body?: object): Promise<T> {
		const reply = await fetch(this.url + path, {
			method,
			headers: {
				'content-type': 'application/json',
				'browser-id': this.browserId,
				cookie: this.cookie,
			},
			body: body && JSON.stringify(body),
		});
		const auth = reply.headers.getSetCookie().find((cookie) => cookie.startsWith('n8n-auth='));
		if (auth) this.cookie = auth.split(';')[0];
		const text = await reply.text();
		if (!reply.ok) {
			const message = `n8n answered ${method} ${path} with ${reply.status}: ${text.slice(0, 500)}`;
			throw new Error(message, { cause: reply.status });
		}
		return (JSON.parse(text) as { data: T }).data;
	}
}

export const hasEnded = ({ status }: Execution) => !['new', 'running'].includes(status);

function hasData({ data }: Execution): boolean {
	const { runData = {}, error } = data?.resultData ?? {};
	return error !== undefined || Object.keys(runData).length > 0;
}

export const itemsOf = (execution: Execution, nodeName: string): INodeExecutionData[] =>
	execution.data.resultData.runData[nodeName]?.flatMap(({ data }) => data?.main?.[0] ?? []) ?? [];
