import ts from 'typescript';

/** What is walked through: an entry of a package, and what it exports. */
interface Walk {
  readonly checker: ts.TypeChecker;
  readonly exported: ReadonlySet<string>;
  readonly seen: Set<ts.Type>;
  /** Interfaces and classes that it does not export, and how each is reached. */
  readonly found: Map<string, string>;
}

/** What people pass on, and never take apart: among them all brokers. */
const WHOLE = /Broker$|^(Policy|DefinedPolicy|PolicyInput|ErrorPattern|StandardSchema)$/;

/** An interface that is named by its alias. */
const ALIASES: Readonly<Record<string, string>> = { DefinedPolicy: 'Policy' };

/**
 * Returns the interfaces and classes of ours that a program gets from the functions of an entry, and that the entry does not export. A
 * program that exports what it gets could not write its declarations, as with TS2742: below pnpm it finds no other package of ours.
 */
export function findUnnamedTypes(program: ts.Program, entry: string): readonly string[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${entry} is no module`);
  const symbols = checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
  const exported = new Set(symbols.map(({ name }) => name));
  const walk: Walk = { checker, exported, seen: new Set(), found: new Map() };
  for (const symbol of symbols) {
    if (symbol.flags & ts.SymbolFlags.Value) visit(walk, checker.getTypeOfSymbol(symbol), symbol.name);
  }
  return [...walk.found].map(([name, path]) => `${name}, by ${path}`);
}

function visit(walk: Walk, type: ts.Type, path: string): void {
  const { checker, exported, seen, found } = walk;
  if (seen.has(type)) return;
  seen.add(type);
  const { symbol } = type;
  const isNamed =
    symbol !== undefined && (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) !== 0;
  const name = isNamed && isOurs(symbol) ? (ALIASES[symbol.name] ?? symbol.name) : undefined;
  if (name !== undefined && !exported.has(name) && !found.has(name)) found.set(name, path);
  for (const argument of type.aliasTypeArguments ?? []) visit(walk, argument, path);
  if (type.isUnionOrIntersection()) for (const part of type.types) visit(walk, part, path);
  if (isReference(type)) for (const argument of checker.getTypeArguments(type)) visit(walk, argument, path);
  const isWhole = [symbol, type.aliasSymbol].some((one) => one !== undefined && WHOLE.test(one.name));
  if (isWhole || (symbol !== undefined && !isOurs(symbol))) return;
  for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
    visit(walk, signature.getReturnType(), `${path}()`);
  }
  for (const property of type.getProperties()) {
    visit(walk, checker.getTypeOfSymbol(property), `${path}.${property.name}`);
  }
}

function isOurs(symbol: ts.Symbol): boolean {
  const files = symbol.declarations?.map((declaration) => declaration.getSourceFile().fileName) ?? [];
  return files.some((file) => /\/packages\/[^/]+\/src\//.test(file));
}

function isReference(type: ts.Type): type is ts.TypeReference {
  const { objectFlags } = type as Partial<ts.ObjectType>; // absent where the type is no object
  return ((objectFlags ?? 0) & ts.ObjectFlags.Reference) !== 0;
}
