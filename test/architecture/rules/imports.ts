import { posix } from 'node:path';
import ts from 'typescript';
import { allowedDependencies } from './packages.ts';
import { parse, type Source, violation, walk } from './source.ts';

/**
 * Who may import whom: core imports nothing but its own files; every other package adds Node's modules and the
 * dependencies that its line in the table of packages allows. Relative imports end in `.ts` and stay at home.
 *
 * @returns one line for each offence
 */
export function findForbiddenImports(source: Source): readonly string[] {
  const isClean = listImports(source).every((specifier) => judge(source.path, specifier) === undefined);
  if (isClean && !MAYBE_COMPUTED.test(source.text)) return [];
  return walk(parse(source)).flatMap((node) => {
    const specifier = readSpecifier(node);
    if (specifier === undefined) return [];
    const offence = judge(source.path, specifier);
    return offence === undefined ? [] : [violation(node, offence)];
  });
}

/** An import of which the scanner knows no module. */
const MAYBE_COMPUTED = /\b(?:import|require)\s*\(\s*[^\s'"]/;

/** Every module that a file imports by its name, statically, dynamically or for a type. Found by a scanner, as to parse takes ten times as long. */
export function listImports({ text }: Source): readonly string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

/** The module that a static or dynamic import, an export or an import type names. */
function readSpecifier(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return readText(node.moduleSpecifier);
  if (ts.isExternalModuleReference(node)) return readText(node.expression);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return readText(node.argument.literal);
  if (!ts.isCallExpression(node)) return undefined;
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require';
  return isImport || isRequire ? (readText(node.arguments[0]) ?? '(computed)') : undefined;
}

function readText(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function judge(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return judgeRelative(path, specifier);
  const name = readPackage(path);
  if (specifier.startsWith('node:') && name !== 'core') return undefined;
  const allowed = allowedDependencies(name);
  if (allowed.some((entry) => specifier === entry || specifier.startsWith(`${entry}/`))) return undefined;
  return `${name} may not import ${specifier}`;
}

function judgeRelative(path: string, specifier: string): string | undefined {
  if (!/\.(tsx?|css)$/.test(specifier)) return `relative import ${specifier} does not end in .ts`;
  const target = posix.join(posix.dirname(path), specifier);
  const home = `packages/${readPackage(path)}/src/`;
  return target.startsWith(home) ? undefined : `relative import ${specifier} leaves ${home}`;
}

function readPackage(path: string): string {
  return path.split('/')[1] ?? '';
}
