import ts from 'typescript';
import { parse, type Source, violation, walk } from './source.ts';

/** Words of no field, and what the field says. */
const REPLACED: Readonly<Record<string, string>> = {
  ...ofAll(['tell', 'tells', 'told', 'hear', 'hears', 'heard'], 'notify, emit, accept, observe'),
  ...ofAll(['wish', 'wishes'], 'cancel request'),
  ...ofAll(['news', 'poke', 'pokes'], 'notification, notify'),
  ...ofAll(['lull', 'bell', 'pace'], 'empty poll, wake signal, estimate'),
  ...ofAll(['ear', 'ears', 'lookout', 'patrol'], 'subscriber, wake subscription, watchdog'),
  ...ofAll(['ghost', 'ghosts'], 'cancelledInLane'),
  ...ofAll(['beneath'], 'causes'),
  ...ofAll(['breath', 'whoever', 'somebody', 'nobody'], 'what it is'),
};

/** Identifiers with a word that has another one. @returns one line for each file and identifier */
export function findReplacedWords(source: Source): readonly string[] {
  const found = new Map<string, string>();
  for (const node of walk(parse(source))) {
    if (!ts.isIdentifier(node) || found.has(node.text)) continue;
    const word = wordsOf(node.text).find((part) => Object.hasOwn(REPLACED, part));
    if (word !== undefined) found.set(node.text, violation(node, `${node.text}: write ${REPLACED[word]}`));
  }
  return [...found.values()];
}

/** A doc comment that begins as if another line stood before it: an editor shows it alone. */
const LEANING = /\/\*\*(?:\s*\n\s*\*)?\s+(Of|As|By|That|Those|It|The same)\b/g;

/** Finds doc comments that need the line before them to be understood. @returns one line for each */
export function findLeaningComments({ path, text }: Source): readonly string[] {
  return [...text.matchAll(LEANING)].map(({ index, 1: word }) => {
    const line = text.slice(0, index).split('\n').length;
    return `${path}:${line} begins with "${word}": say what it is`;
  });
}

/** The words of a name, in lower case: `cancelledInLane`, `MAX_TRIES`, `retry_after`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

function ofAll(words: readonly string[], replacement: string): Readonly<Record<string, string>> {
  return Object.fromEntries(words.map((word) => [word, replacement]));
}
