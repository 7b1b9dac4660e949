import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A tool as the model is told of it. */
export type Tool = { name: string; description: string; parameters: object };

/** What the model has been told so far: by the person, of its tools, and by them. */
export type Told = { prompt: string; tools: Tool[]; results: string[] };

/** What the model does: it calls a tool by its name, or gives its answer. */
export type Step = { tool: string; args: object } | { answer: string };

export type ScriptedModel = {
	/** as the OpenAI credential of n8n takes it */
	url: string;
	told: Told;
};

type Message = { role: string; content?: unknown };
type Completion = { messages: Message[]; tools?: Array<{ function: Tool }>; stream?: boolean };

/**
 * A language model that follows a script, behind the interface of OpenAI's chat completions: its n-th
 * step is decided by what the tools have given so far.
 */
export async function startScriptedModel(
	script: Array<(told: Told) => Step>,
	cleanup: AsyncDisposableStack,
): Promise<ScriptedModel> {
	const told: Told = { prompt: '', tools: [], results: [] };
	const server = createServer(async (request, reply) => {
		const chunks: Uint8Array[] = [];
		for await (const chunk of request) chunks.push(chunk as Uint8Array);
		if (!request.url?.endsWith('/chat/completions')) return reply.writeHead(404).end('{}');
		const asked = JSON.parse(Buffer.concat(chunks).toString()) as Completion;
		told.prompt = JSON.stringify(asked.messages.filter(({ role }) => role === 'user'));
		told.tools = (asked.tools ?? []).map((tool) => tool.function);
		told.results = asked.messages
			.filter(({ role }) => role === 'tool')
			.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
		const message = messageOf(script[told.results.length](told), told.results.length);
		if (asked.stream) return reply.writeHead(200, EVENTS).end(asEvents(message));
		reply.writeHead(200, { 'content-type': 'application/json' });
		return reply.end(JSON.stringify(completion('chat.completion', { message })));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	cleanup.defer(() => {
		server.closeAllConnections();
		server.close();
	});
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, told };
}

const EVENTS = { 'content-type': 'text/event-stream' };

function messageOf(step: Step, number: number) {
	if ('answer' in step) return { role: 'assistant', content: step.answer };
	const call = { name: step.tool, arguments: JSON.stringify(step.args) };
	const calls = [{ index: 0, id: `call_${number}`, type: 'function', function: call }];
	return { role: 'assistant', content: null, tool_calls: calls };
}

type AssistantMessage = ReturnType<typeof messageOf>;

function completion(object: string, said: { message: AssistantMessage } | { delta: object }) {
	const called = 'message' in said && 'tool_calls' in said.message;
	const choice = { index: 0, ...said, finish_reason: called ? 'tool_calls' : 'stop' };
	const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
	return { id: 'scripted', object, created: 0, model: 'scripted', choices: [choice], usage };
}

function asEvents(message: AssistantMessage): string {
	const event = completion('chat.completion.chunk', { delta: message });
	return `data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`;
}
