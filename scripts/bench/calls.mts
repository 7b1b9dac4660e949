/**
 * Follows the calls of the package's functions through all that is awaited: each function gets the chain of
 * calls that led to it, by the way its compiled source is rewritten as it is loaded.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as TypeScript from 'typescript';

const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript;

/** A call and those that it came from. */
export type Call = { name: string; depth: number; from?: Call };

const calls = new AsyncLocalStorage<Call | undefined>();

/** What the rewritten sources use. */
const trace = {
	/** A function begins: what it calls came from it. */
	enter(name: string): Call {
		const from = calls.getStore();
		const call = { name, depth: (from?.depth ?? 0) + 1, from };
		calls.enterWith(call);
		return call;
	},
	/** It makes a call of its own, after others may have left theirs. */
	at: (call: Call | undefined) => calls.enterWith(call),
	back<T>(call: Call | undefined, result: T): T {
		calls.enterWith(call);
		return result;
	},
};

/** The innermost of the package's functions that led here. */
export const currentCall = (): Call | undefined => calls.getStore();

/** The names of the functions that led to a call, the outermost first. */
export function namesOf(call: Call | undefined): string[] {
	return call === undefined ? [] : [...namesOf(call.from), call.name];
}

const { factory } = ts;
const use = (name: keyof typeof trace, ...given: TypeScript.Expression[]) =>
	factory.createCallExpression(
		factory.createPropertyAccessExpression(factory.createIdentifier('__trace'), name),
		undefined,
		given,
	);
const me = () => factory.createIdentifier('__me');

function declared(name: string): TypeScript.Statement {
	const entered = use('enter', factory.createStringLiteral(name));
	const variable = factory.createVariableDeclaration('__me', undefined, undefined, entered);
	return factory.createVariableStatement(
		undefined,
		factory.createVariableDeclarationList([variable], ts.NodeFlags.Const),
	);
}

function nameOf(node: TypeScript.FunctionLikeDeclaration): string {
	if (ts.isConstructorDeclaration(node)) return 'constructor';
	if (node.name !== undefined && ts.isIdentifier(node.name)) return node.name.text;
	const { parent } = ts.getOriginalNode(node);
	const isNamed =
		parent !== undefined && (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent));
	return isNamed && ts.isIdentifier(parent.name) ? parent.name.text : '(arrow function)';
}

function bodyOf(node: TypeScript.FunctionLikeDeclaration, body: TypeScript.ConciseBody) {
	const statements = ts.isBlock(body) ? body.statements : [factory.createReturnStatement(body)];
	return factory.createBlock([declared(nameOf(node)), ...statements], true);
}

/** Rewrites all functions and calls, after the language was lowered to what has no optional chains. */
const rewriting: TypeScript.TransformerFactory<TypeScript.SourceFile> = (context) => (file) => {
	const visit = (node: TypeScript.Node): TypeScript.Node => {
		if (ts.isParameter(node)) return node;
		const visited = ts.visitEachChild(node, visit, context);
		if (ts.isArrowFunction(visited)) {
			const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken } = visited;
			const body = bodyOf(visited, visited.body);
			return factory.updateArrowFunction(
				visited,
				modifiers,
				typeParameters,
				parameters,
				type,
				equalsGreaterThanToken,
				body,
			);
		}
		if (ts.isFunctionDeclaration(visited) && visited.body !== undefined) {
			const { modifiers, asteriskToken, name, parameters, body } = visited;
			return factory.updateFunctionDeclaration(
				visited,
				modifiers,
				asteriskToken,
				name,
				undefined,
				parameters,
				undefined,
				bodyOf(visited, body),
			);
		}
		if (ts.isFunctionExpression(visited)) {
			const { modifiers, asteriskToken, name, parameters, body } = visited;
			return factory.updateFunctionExpression(
				visited,
				modifiers,
				asteriskToken,
				name,
				undefined,
				parameters,
				undefined,
				bodyOf(visited, body),
			);
		}
		if (ts.isMethodDeclaration(visited) && visited.body !== undefined) {
			const { modifiers, asteriskToken, name, parameters, body } = visited;
			return factory.updateMethodDeclaration(
				visited,
				modifiers,
				asteriskToken,
				name,
				undefined,
				undefined,
				parameters,
				undefined,
				bodyOf(visited, body),
			);
		}
		const isCall = ts.isCallExpression(visited) || ts.isNewExpression(visited);
		if (!isCall || visited.expression.kind === ts.SyntaxKind.SuperKeyword) return visited;
		return factory.createParenthesizedExpression(
			factory.createComma(use('at', me()), use('back', me(), visited)),
		);
	};
	return ts.visitEachChild(file, visit, context);
};

/** From now on, sources in a folder are rewritten when they are loaded. */
export function followCalls(folder: string): void {
	Object.assign(globalThis, { __trace: trace, __me: undefined });
	registerHooks({
		load(url, context, nextLoad) {
			const loaded = nextLoad(url, context);
			if (!url.startsWith('file:') || !fileURLToPath(url).startsWith(folder)) return loaded;
			const { outputText } = ts.transpileModule(String(loaded.source), {
				fileName: fileURLToPath(url),
				compilerOptions: {
					target: ts.ScriptTarget.ES2019,
					module: ts.ModuleKind.CommonJS,
					allowJs: true,
				},
				transformers: { after: [rewriting] },
			});
			return { ...loaded, source: outputText };
		},
	});
}
