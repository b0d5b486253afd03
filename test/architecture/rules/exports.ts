import type { Source } from './source.ts';

/** A declaration that is exported where it stands. */
const EXPORTED = /^export (?:async function|function|const|class|type|interface) (\w+)/gm;

/**
 * Finds what modules export though no other file has its name: nobody imports it, so its readers need not look for them.
 *
 * @param modules - those whose exports have to be used; not what users of a package import themselves
 * @param all - every file that may use them
 * @returns one line for each
 */
export function findUnusedExports(modules: readonly Source[], all: readonly Source[]): readonly string[] {
  const files = new Map<string, number>();
  for (const { text } of all)
    for (const name of new Set(text.match(/[\w$]+/g))) files.set(name, (files.get(name) ?? 0) + 1);
  return modules.flatMap(({ path, text }) =>
    [...text.matchAll(EXPORTED)]
      .filter(([, name = '']) => (files.get(name) ?? 0) < 2)
      .map(([, name]) => `${path}: no other file uses ${name}`),
  );
}
