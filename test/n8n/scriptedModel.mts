import fastify from 'fastify';

/** What the model does: it calls a tool by its name, or answers. */
export type Step = { tool: string; args: object } | { answer: string };

type Request = { messages: Array<{ role: string; content?: unknown }> };

/**
 * A language model that follows a script, behind the interface of OpenAI's chat completions. The number of
 * results that the tools have given decides which step comes next.
 *
 * @returns its address, and a function that lists the results of its tools so far
 */
export async function startScriptedModel(script: Step[], cleanup: AsyncDisposableStack) {
	let results: string[] = [];
	const server = fastify({ forceCloseConnections: true });
	server.post<{ Body: Request }>('/v1/chat/completions', ({ body: { messages } }) => {
		results = messages
			.filter(({ role }) => role === 'tool')
			.map(({ content }) => JSON.stringify(content));
		const message = createMessage(script[results.length], results.length);
		const finish = 'tool_calls' in message ? 'tool_calls' : 'stop';
		return {
			...{ id: 'scripted', created: 0, model: 'scripted' },
			object: 'chat.completion',
			choices: [{ index: 0, message, finish_reason: finish }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	});
	const url = await server.listen({ host: '127.0.0.1', port: 0 });
	cleanup.defer(async () => await server.close());
	return { url: `${url}/v1`, listResults: () => results };
}

function createMessage(step: Step, number: number) {
	if ('answer' in step) return { role: 'assistant', content: step.answer };
	const call = { name: step.tool, arguments: JSON.stringify(step.args) };
	const calls = [{ id: `call_${number}`, type: 'function', function: call }];
	return { role: 'assistant', content: null, tool_calls: calls };
}
