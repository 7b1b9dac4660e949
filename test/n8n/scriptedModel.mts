import fastify from 'fastify';
import { appendFileSync } from 'node:fs';

/** What the model does: it calls a tool by its name, or answers. */
export type Step = { tool: string; args: object } | { answer: string };

type Request = {
	messages: Array<{ role: string; content?: unknown }>;
	tools?: Array<{ function: { description: string } }>;
	stream?: boolean;
};

/**
 * A language model that follows a script, behind the interface of OpenAI's chat completions. The number of
 * results that the tools have given decides which step comes next.
 *
 * @returns its address, and what it has been told so far: by the person, of its tools, and by them
 */
export async function startScriptedModel(script: Step[], cleanup: AsyncDisposableStack) {
	const told = { prompt: '', toolDescriptions: [] as string[], results: [] as string[] };
	const server = fastify({ forceCloseConnections: true });
	server.post<{ Body: Request }>('/v1/chat/completions', ({ body }, reply) => {
		const { messages, tools = [], stream } = body;
		appendFileSync('/tmp/w/stream.log', `${stream}\n`);
		const listContents = (wanted: string) =>
			messages.filter(({ role }) => role === wanted).map(({ content }) => JSON.stringify(content));
		told.prompt = listContents('user').join();
		told.toolDescriptions = tools.map((tool) => tool.function.description);
		told.results = listContents('tool');
		const message = createMessage(script[told.results.length], told.results.length);
		const finish = 'tool_calls' in message ? 'tool_calls' : 'stop';
		const said = stream ? { delta: message } : { message };
		const completion = {
			...{ id: 'scripted', created: 0, model: 'scripted' },
			object: stream ? 'chat.completion.chunk' : 'chat.completion',
			choices: [{ index: 0, ...said, finish_reason: finish }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
		if (!stream) return completion;
		const text = `data: ${JSON.stringify(completion)}\n\ndata: [DONE]\n\n`;
		return reply.type('text/event-stream').send(text);
	});
	const url = await server.listen({ host: '127.0.0.1', port: 0 });
	cleanup.defer(async () => await server.close());
	return { url: `${url}/v1`, told };
}

function createMessage(step: Step, number: number) {
	if ('answer' in step) return { role: 'assistant', content: step.answer };
	const call = { name: step.tool, arguments: JSON.stringify(step.args) };
	const calls = [{ index: 0, id: `call_${number}`, type: 'function', function: call }];
	return { role: 'assistant', content: null, tool_calls: calls };
}
