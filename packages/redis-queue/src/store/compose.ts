import type { KeyName } from './keys.ts';
import { KEY_NAMES, variableOf } from './keys.ts';

/**
 * Makes the texts of scripts from the declarations that they need. Redis makes every closure and table of a script anew in each
 * call: some fifty of them cost more than the work of a small one. A function costs nothing where the script does not reach it.
 */

/** A function that is made only where the script reaches {@link make}, and its own declarations only when it is called. */
export interface RareFunction {
  /** Name and parameters, as after `local function`. */
  readonly signature: string;
  /** What it may need, as of a script. */
  readonly library: readonly string[];
  readonly body: string;
}

/** The parts of a script. */
export interface ScriptParts {
  /** Declarations, of which those are taken that the other parts need. */
  readonly library: readonly string[];
  /** Declarations that the rare functions share with the main part. */
  readonly state?: string;
  readonly rare?: readonly RareFunction[];
  readonly main: string;
}

/** The place in the main part, or in a rare function, where a rare function is made: before its first call, in the branch that needs it. */
export function make(name: string): string {
  return `--[[make ${name}]]`;
}

/** A statement that begins a line of a library with `local`, and all lines up to the next one. */
interface Declaration {
  readonly names: readonly string[];
  readonly text: string;
}

/**
 * Returns the text of a script, and the keys that it gets: all that it may use, those of rare functions behind the others. While a
 * slot of a Cluster moves, a node refuses a script before it begins if one of its keys is elsewhere; a key that it does not get
 * would be missed half-way.
 */
export function composeText({ library, state = '', rare = [], main }: ScriptParts): {
  readonly text: string;
  readonly keys: readonly KeyName[];
} {
  const usual = neededFor(library.flatMap(readDeclarations), state + main);
  const used = new Set(wordsOf(usual.map(({ text }) => text).join('\n') + state + main));
  const keys = KEY_NAMES.filter((name) => name === 'body' || used.has(variableOf(name)));
  const outer = new Set([...keys.map(variableOf), 'FIXED', ...namesOf(usual)]);
  for (const name of namesOf(readDeclarations(state))) outer.add(name);
  const given = keys.map((name, index) => `local ${variableOf(name)} = KEYS[${index + 1}]`);
  const names = rare.map(({ signature }) => wordsOf(signature)[0] ?? '');
  for (const name of names) outer.add(name);
  const functions = new Map(rare.map((one, index) => [names[index] ?? '', composeRare(one, outer, keys)]));
  const declared = names.length === 0 ? [] : [`local ${names.join(', ')}`];
  const texts = usual.map(({ text }) => text);
  const body = [state, ...declared, withFunctions(main, functions)];
  return { text: [...given, `local FIXED = ${keys.length}`, ...texts, ...body].join('\n'), keys };
}

/** Adds the keys that no one had before to `keys`. */
function composeRare(
  { signature, library, body }: RareFunction,
  outer: ReadonlySet<string>,
  keys: KeyName[],
): string {
  const own = library
    .flatMap(readDeclarations)
    .filter(({ names }) => names.length === 0 || names.some((name) => !outer.has(name)));
  const needed = neededFor(own, body).map(({ text }) => text);
  const used = new Set(wordsOf(needed.join('\n') + body));
  const rare = KEY_NAMES.filter((name) => used.has(variableOf(name)) && !outer.has(variableOf(name)));
  keys.push(...rare.filter((name) => !keys.includes(name)));
  const given = rare.map((name) => `local ${variableOf(name)} = KEYS[${keys.indexOf(name) + 1}]`);
  return [`function ${signature}`, ...given, ...needed, body, 'end'].join('\n');
}

/** Returns the text with the functions in the places where they are made. */
function withFunctions(text: string, functions: ReadonlyMap<string, string>): string {
  return text.replaceAll(/--\[\[make (?<name>\w+)\]\]/g, (_, name: string) => {
    const made = functions.get(name);
    if (made === undefined) throw new Error(`The script has no rare function ${name}.`);
    return withFunctions(made, functions);
  });
}

/** Returns the declarations that a text needs, in their order: each may need earlier ones. */
function neededFor(declarations: readonly Declaration[], text: string): readonly Declaration[] {
  const words = new Set(wordsOf(text));
  const needed: Declaration[] = [];
  for (const declaration of [...declarations].reverse()) {
    if (!declaration.names.some((name) => words.has(name))) continue;
    needed.push(declaration);
    for (const word of wordsOf(declaration.text)) words.add(word);
  }
  return needed.reverse();
}

function namesOf(declarations: readonly Declaration[]): readonly string[] {
  return declarations.flatMap(({ names }) => names);
}

function readDeclarations(library: string): readonly Declaration[] {
  return withoutComments(library)
    .split(/^(?=local )/m)
    .filter((text) => text.startsWith('local '))
    .map((text) => ({ names: declaredBy(text), text: text.trimEnd() }));
}

function declaredBy(text: string): readonly string[] {
  const [first = ''] = text.split('\n');
  const named = /^local function (?<name>\w+)/.exec(first)?.groups?.['name'];
  return named === undefined ? wordsOf(first.slice('local '.length).split('=')[0] ?? '') : [named];
}

function wordsOf(text: string): readonly string[] {
  return withoutComments(text).match(/[A-Za-z_]\w*/g) ?? [];
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*--.*\n/gm, '');
}
