import { type SyntaxNode, unwrap, walk } from './syntax.ts';

/** What an imported name stands for. */
export interface Imported {
  readonly module: string;
  readonly name: string;
}

/** The names of a file. */
export interface Names {
  readonly imports: ReadonlyMap<string, Imported>;
  /** Constants, functions and classes that are declared once in the file, so that scopes do not matter. */
  readonly constants: ReadonlyMap<string, SyntaxNode>;
  /** Every name that is declared in the file. */
  readonly declared: ReadonlySet<string>;
  /** Returns which function of `@retry/…` a call calls; `undefined` for any other. */
  readonly calleeOf: (call: SyntaxNode) => Imported | undefined;
}

/** Reads the names that a file declares and imports. */
export function readNames(tree: SyntaxNode): Names {
  const imports = new Map<string, Imported>();
  const constants = new Map<string, SyntaxNode>();
  const counts = new Map<string, number>();
  for (const node of walk(tree)) {
    if (node.type === 'ImportDeclaration') readImports(node, imports);
    for (const [name, value] of declarationsOf(node)) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      if (value !== undefined) constants.set(name, value);
    }
  }
  for (const [name, count] of counts) if (count > 1) constants.delete(name);
  const known = { imports, constants, declared: new Set(counts.keys()) };
  return { ...known, calleeOf: (call) => calleeOf(call, known) };
}

function readImports({ source, specifiers = [] }: SyntaxNode, imports: Map<string, Imported>): void {
  const module = String(source?.value);
  for (const { type, local, imported } of specifiers) {
    const name = type === 'ImportNamespaceSpecifier' ? '*' : (imported?.name ?? 'default');
    if (local?.name !== undefined) imports.set(local.name, { module, name });
  }
}

type Declaration = readonly [name: string, value: SyntaxNode | undefined];

/** Returns the names that a node declares; with the value where that is constant. */
function declarationsOf(node: SyntaxNode): readonly Declaration[] {
  if (node.type === 'VariableDeclaration') {
    return (node.declarations ?? []).flatMap(({ id, init }): readonly Declaration[] => {
      if (id?.type === 'Identifier' && id.name !== undefined) {
        return [[id.name, node.kind === 'const' && init ? unwrap(init) : undefined]];
      }
      return id ? patternNames(id) : [];
    });
  }
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
    return node.id?.name === undefined ? parametersOf(node) : [[node.id.name, node], ...parametersOf(node)];
  }
  return parametersOf(node);
}

function parametersOf(node: SyntaxNode): readonly Declaration[] {
  const { params, param } = node as { params?: unknown; param?: unknown }; // of functions and of `catch`
  const all: readonly unknown[] = [...(Array.isArray(params) ? params : []), param];
  return all.flatMap((pattern) =>
    typeof pattern === 'object' && pattern !== null && 'type' in pattern
      ? patternNames(pattern as SyntaxNode) // what has a type in this tree is a node
      : [],
  );
}

/** Returns the names in a parameter or a destructuring, defaults included: too many names only make more values unknown. */
function patternNames(pattern: SyntaxNode): readonly Declaration[] {
  return [...walk(pattern)].flatMap(({ type, name }): readonly Declaration[] =>
    type === 'Identifier' && name !== undefined ? [[name, undefined]] : [],
  );
}

function calleeOf(
  { callee }: SyntaxNode,
  { imports, declared }: Pick<Names, 'imports' | 'declared'>,
): Imported | undefined {
  const called = callee === undefined ? undefined : unwrap(callee);
  const isMember = called?.type === 'MemberExpression' && called.computed !== true;
  const local = isMember ? called.object?.name : called?.name;
  if (local === undefined || declared.has(local)) return undefined;
  const imported = imports.get(local);
  if (imported === undefined || !imported.module.startsWith('@retry/')) return undefined;
  if (!isMember) return imported;
  return imported.name === '*' ? { ...imported, name: called.property?.name ?? '' } : undefined;
}
