import { posix } from 'node:path';
import ts from 'typescript';
import { parse, type Source, violation, walk } from './source.ts';

/** Names that do not say what is inside. */
const vagueNames: readonly string[] = [
  'utils',
  'util',
  'helpers',
  'helper',
  'types',
  'common',
  'misc',
  'shared',
];

/**
 * The shape of a module: named in kebab-case for its subject, named exports only, no `export *`; an `index.ts` only
 * re-exports, and a `switch` has no `default`, so that the compiler finds a missing case.
 *
 * @returns one line for each offence
 */
export function findMisshapen(source: Source): readonly string[] {
  const file = parse(source);
  return [
    ...judgeName(source),
    ...file.statements.flatMap(judgeExport),
    ...(posix.basename(source.path) === 'index.ts' ? file.statements.flatMap(judgeIndex) : []),
    ...walk(file)
      .filter(ts.isDefaultClause)
      .map((node) => violation(node, 'default in a switch')),
  ];
}

function judgeName({ path }: Source): readonly string[] {
  const names = path.split('/').map((part) => part.replace(/\.tsx?$/, ''));
  const vague = names
    .filter((name) => vagueNames.includes(name))
    .map((name) => `${path}: ${name} says nothing`);
  const isKebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.tsx?$/.test(posix.basename(path));
  return isKebab ? vague : [...vague, `${path} is not named in kebab-case.ts`];
}

function judgeIndex(node: ts.Statement): readonly string[] {
  const isReExport = ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined;
  return isReExport ? [] : [violation(node, 'an index.ts only re-exports')];
}

function judgeExport(node: ts.Statement): readonly string[] {
  if (ts.isExportAssignment(node)) return [violation(node, 'default export')];
  if (ts.isExportDeclaration(node)) return judgeExportList(node);
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  const isDefault = modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword);
  return isDefault ? [violation(node, 'default export')] : [];
}

function judgeExportList(node: ts.ExportDeclaration): readonly string[] {
  if (node.exportClause === undefined || ts.isNamespaceExport(node.exportClause))
    return [violation(node, 'export *')];
  const hasDefault = node.exportClause.elements.some(({ name }) => name.text === 'default');
  return hasDefault ? [violation(node, 'default export')] : [];
}
