import { tsPlugin } from '@sveltejs/acorn-typescript';
import { Parser } from 'acorn';

/** A node of the syntax tree, with the fields that are read here. */
export interface SyntaxNode {
  readonly type: string;
  readonly loc?: { readonly start: { readonly line: number; readonly column: number } };
  readonly name?: string;
  readonly value?: unknown;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly operator?: string;
  readonly kind?: string;
  readonly async?: boolean;
  readonly generator?: boolean;
  readonly computed?: boolean;
  readonly id?: SyntaxNode | null;
  readonly init?: SyntaxNode | null;
  readonly key?: SyntaxNode;
  readonly left?: SyntaxNode;
  readonly right?: SyntaxNode;
  readonly object?: SyntaxNode;
  readonly property?: SyntaxNode;
  readonly callee?: SyntaxNode;
  readonly argument?: SyntaxNode;
  readonly expression?: SyntaxNode;
  readonly source?: SyntaxNode;
  readonly local?: SyntaxNode;
  readonly imported?: SyntaxNode;
  readonly arguments?: readonly SyntaxNode[];
  readonly elements?: readonly (SyntaxNode | null)[];
  readonly properties?: readonly SyntaxNode[];
  readonly expressions?: readonly SyntaxNode[];
  readonly quasis?: readonly SyntaxNode[];
  readonly declarations?: readonly SyntaxNode[];
  readonly specifiers?: readonly SyntaxNode[];
}

const TypeScript = Parser.extend(tsPlugin());
const TypeScriptWithTags = Parser.extend(tsPlugin({ jsx: true }));

/** Parses a module in JavaScript or TypeScript. @throws {SyntaxError} when it is neither */
export function parseModule(text: string, file: string): SyntaxNode {
  const chosen = /\.[cm]?(jsx|tsx|js)$/.test(file) ? TypeScriptWithTags : TypeScript;
  const options = { ecmaVersion: 'latest', sourceType: 'module', locations: true } as const;
  // The parser's own types name no field of a node.
  return chosen.parse(text, { ...options, allowHashBang: true }) as unknown as SyntaxNode;
}

/** Returns every node of a tree, parents first. */
export function* walk(node: SyntaxNode): Generator<SyntaxNode> {
  const waiting: unknown[] = [node];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    if ('type' in next) yield next as SyntaxNode; // what has a type in this tree is a node
    for (const value of Object.values(next).reverse()) {
      if (typeof value === 'object' && value !== null && !(value instanceof RegExp)) waiting.push(value);
    }
  }
}

/** Returns the expression without what only TypeScript reads: `as const`, `satisfies`, `!`, parentheses. */
export function unwrap(node: SyntaxNode): SyntaxNode {
  const isWrapper =
    /^(TS(As|Satisfies|NonNull|TypeAssertion|Instantiation)?Expression|TSTypeAssertion|ParenthesizedExpression)$/;
  return isWrapper.test(node.type) && node.expression !== undefined ? unwrap(node.expression) : node;
}

/** Returns the written name of a property. */
export function keyName({ key }: SyntaxNode): string | undefined {
  if (key?.type === 'Identifier') return key.name;
  return key?.type === 'Literal' ? String(key.value) : undefined;
}
