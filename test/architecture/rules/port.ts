import { posix } from 'node:path';
import ts from 'typescript';
import type { Source } from './source.ts';
import { parse } from './source.ts';

/** What an interface asks of those who implement it. */
export interface Port {
  /** What can be called, `part.verb` in a part of it. */
  readonly verbs: readonly string[];
  /** What is said, `part.fact` in a part of it. */
  readonly facts: readonly string[];
}

/**
 * Returns the members of an interface, and of the interfaces that are its parts: a part has its members counted, and is itself no verb.
 *
 * @param read - the text of the file at this path
 */
export function readPort(path: string, name: string, read: (path: string) => string): Port {
  const source = { path, text: read(path) };
  const members = membersOf(source, name).map(({ name: key, type }): Port => {
    if (type === undefined || isCalled(source, type, read)) return { verbs: [key], facts: [] };
    const part = partOf(source, type, read);
    if (part === undefined) return { verbs: [], facts: [key] };
    const { verbs, facts } = readPort(part.path, part.name, read);
    const within = (each: string): string => `${key}.${each}`;
    return { verbs: verbs.map(within), facts: facts.map(within) };
  });
  return {
    verbs: members.flatMap(({ verbs }) => verbs),
    facts: members.flatMap(({ facts }) => facts),
  };
}

interface Member {
  readonly name: string;
  /** Absent where it is written as a method. */
  readonly type: ts.TypeNode | undefined;
}

function membersOf(source: Source, name: string): readonly Member[] {
  const found = declared(source, name);
  if (found === undefined || !ts.isInterfaceDeclaration(found)) return [];
  return found.members.map((member) => ({
    name: member.name?.getText() ?? '',
    type: ts.isPropertySignature(member) ? member.type : undefined,
  }));
}

type Declaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration;

function declared(source: Source, name: string): Declaration | undefined {
  return parse(source).statements.find(
    (node): node is Declaration =>
      (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) && node.name.text === name,
  );
}

function isCalled(source: Source, type: ts.TypeNode, read: (path: string) => string): boolean {
  if (ts.isFunctionTypeNode(type)) return true;
  const named = partOf(source, type, read);
  const found = named && declared({ path: named.path, text: read(named.path) }, named.name);
  return found !== undefined && ts.isTypeAliasDeclaration(found) && ts.isFunctionTypeNode(found.type);
}

/** Where the named type is declared: in this file, or in one that it imports. */
function partOf(
  source: Source,
  type: ts.TypeNode,
  read: (path: string) => string,
): { readonly path: string; readonly name: string } | undefined {
  if (!ts.isTypeReferenceNode(type) || !ts.isIdentifier(type.typeName)) return undefined;
  const name = type.typeName.text;
  if (declared(source, name) !== undefined) return { path: source.path, name };
  for (const node of parse(source).statements.filter(ts.isImportDeclaration)) {
    const { namedBindings } = node.importClause ?? {};
    const isImported =
      namedBindings !== undefined &&
      ts.isNamedImports(namedBindings) &&
      namedBindings.elements.some((element) => element.name.text === name);
    if (!isImported || !ts.isStringLiteral(node.moduleSpecifier)) continue;
    const path = posix.join(posix.dirname(source.path), node.moduleSpecifier.text);
    return declared({ path, text: read(path) }, name) && { path, name };
  }
  return undefined;
}
