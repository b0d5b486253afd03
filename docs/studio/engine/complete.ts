import type { Frame, Place } from './scan-json.ts';
import { pathOf, scanJson, unquote } from './scan-json.ts';
import type { SchemaNode } from './schema.ts';
import { branchesOf, nodesAt } from './schema.ts';

/** What may be written where the caret is. */
export interface Completions {
  /** Where the text begins that a choice replaces; it ends at the caret. */
  readonly from: number;
  readonly choices: readonly Choice[];
}

/** One thing that may be written. */
export interface Choice {
  readonly label: string;
  /** What is written in place of what has been typed. */
  readonly insert: string;
  /** One sentence of the schema; `''` where it has none. */
  readonly description: string;
}

/** Returns what the schema of policies allows at the caret; no choices where JSON itself expects a comma or a colon. */
export function complete(text: string, caret: number): Completions {
  const { frame, last } = scanJson(text.slice(0, caret));
  const typed = last !== undefined && !/^[{}[\]:,]$/.test(last.text) ? last : undefined;
  const from = typed?.from ?? caret;
  const before = typed === undefined ? frame : scanJson(text.slice(0, from)).frame;
  if (before === undefined) return { from, choices: [] };
  const { places } = scanJson(text);
  const wanted = unquote(typed?.text ?? '').toLowerCase();
  const choices = choicesOf(before, places, text.slice(caret)).filter(({ label }) =>
    label.toLowerCase().startsWith(wanted),
  );
  return { from, choices };
}

function choicesOf(frame: Frame, places: ReadonlyMap<string, Place>, after: string): readonly Choice[] {
  if (frame.expects === 'key') return keysAt(frame, places, after);
  return frame.expects === 'value' ? valuesAt(pathOf(frame), places) : [];
}

function keysAt(frame: Frame, places: ReadonlyMap<string, Place>, after: string): readonly Choice[] {
  const hasValue = /^[^\n,}]*:/.test(after);
  const nodes = nodesAt(frame.path, places).flatMap((node) => Object.entries(node.properties ?? {}));
  return [...new Map(nodes)]
    .filter(([key]) => !places.has(frame.path === '' ? key : `${frame.path}.${key}`))
    .map(([key, node]) => ({
      label: key,
      insert: hasValue ? `"${key}"` : `"${key}": ${starterOf(node)}`,
      description: node.description ?? '',
    }));
}

function starterOf(node: SchemaNode): string {
  const [only] = scalarsOf(node);
  const value = node.default ?? only;
  return value === undefined ? '' : writeSpaced(value);
}

function valuesAt(path: string, places: ReadonlyMap<string, Place>): readonly Choice[] {
  const nodes = nodesAt(path, places);
  const written = nodes.flatMap((node) =>
    [...scalarsOf(node), ...(node.default === undefined ? [] : [node.default])].map(
      (value) => [writeSpaced(value), node.description ?? ''] as const,
    ),
  );
  return [...new Map(written)].map(([insert, description]) => ({
    label: unquote(insert),
    insert,
    description,
  }));
}

function scalarsOf(node: SchemaNode): readonly unknown[] {
  return branchesOf(node).flatMap((branch) => {
    if (branch.enum !== undefined) return branch.enum;
    if (branch.const !== undefined) return [branch.const];
    return branch.type === 'boolean' ? [true, false] : [];
  });
}

/** Writes a value on one line, as people do: `{ "max": "60s" }`. */
function writeSpaced(value: unknown): string {
  return JSON.stringify(value, undefined, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/\[ | \]/g, (bracket) => bracket.trim());
}
