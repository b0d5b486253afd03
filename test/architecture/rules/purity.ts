import ts from 'typescript';
import { parse, type Source, violation, walk } from './source.ts';

/** Globals that read a clock, draw random numbers, wait, evaluate text as code or do I/O. */
const forbiddenGlobals: ReadonlySet<string> = new Set([
  ...['performance', 'Temporal', 'crypto', 'process', 'require', 'console'],
  ...['globalThis', 'global', 'window', 'self', 'eval', 'Function'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'clearTimeout', 'clearInterval'],
  ...['fetch', 'XMLHttpRequest', 'WebSocket', 'Worker', 'MessageChannel', 'localStorage'],
]);

/** The members of `Date` that return the same for the same arguments. */
const pureDateMembers: readonly string[] = ['parse', 'UTC', 'prototype'];

/**
 * Finds reads of the clock, of random numbers and of globals, and I/O: core has none. Comments, strings, types and
 * properties of the same name (`context.process`) do not count.
 *
 * @returns one line for each offence
 */
export function findImpurities(source: Source): readonly string[] {
  return walk(parse(source))
    .filter(ts.isIdentifier)
    .flatMap((identifier) => {
      if (isOnlyAName(identifier)) return [];
      const offence = judge(identifier);
      return offence === undefined ? [] : [violation(identifier, offence)];
    });
}

function judge(identifier: ts.Identifier): string | undefined {
  switch (identifier.text) {
    case 'Date':
      return isPureDate(identifier) ? undefined : 'reads the clock through Date';
    case 'Math':
      return isPureMath(identifier) ? undefined : 'draws random numbers through Math';
    default:
      return forbiddenGlobals.has(identifier.text) ? `uses ${identifier.text}` : undefined;
  }
}

function isPureDate(identifier: ts.Identifier): boolean {
  const { parent } = identifier;
  if (ts.isNewExpression(parent) && parent.expression === identifier)
    return (parent.arguments ?? []).length > 0;
  if (ts.isBinaryExpression(parent)) return parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword;
  return pureDateMembers.includes(readMember(identifier) ?? '');
}

function isPureMath(identifier: ts.Identifier): boolean {
  const member = readMember(identifier);
  return member !== undefined && member !== 'random';
}

/** `now` for `Date.now` and `Date['now']`; `undefined` when the object itself is passed on or destructured. */
function readMember(identifier: ts.Identifier): string | undefined {
  const { parent } = identifier;
  if (ts.isPropertyAccessExpression(parent) && parent.expression === identifier) return parent.name.text;
  if (!ts.isElementAccessExpression(parent) || parent.expression !== identifier) return undefined;
  return ts.isStringLiteralLike(parent.argumentExpression) ? parent.argumentExpression.text : undefined;
}

/** Whether the identifier names a property, a type or an exported name rather than reading a variable. */
function isOnlyAName(identifier: ts.Identifier): boolean {
  const { parent } = identifier;
  if (ts.isPropertyAccessExpression(parent) || ts.isMetaProperty(parent)) return parent.name === identifier;
  if (ts.isQualifiedName(parent) || ts.isTypeReferenceNode(parent)) return true;
  if (ts.isBindingElement(parent)) return parent.propertyName === identifier;
  if (ts.isImportSpecifier(parent) || ts.isNamedTupleMember(parent)) return true;
  if (ts.isExportSpecifier(parent)) return parent.propertyName !== undefined && parent.name === identifier;
  return isMemberDeclaration(parent) && parent.name === identifier;
}

function isMemberDeclaration(
  node: ts.Node,
): node is ts.ClassElement | ts.TypeElement | ts.ObjectLiteralElement {
  if (ts.isShorthandPropertyAssignment(node)) return false;
  return ts.isClassElement(node) || ts.isTypeElement(node) || ts.isObjectLiteralElement(node);
}
