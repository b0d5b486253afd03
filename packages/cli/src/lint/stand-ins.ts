import type { SyntaxNode } from './syntax.ts';

/** Returns a function that does nothing, as asynchronous as the one that is written. */
export function functionLike({ async: isAsync, generator }: SyntaxNode): () => unknown {
  if (generator === true) {
    return function* () {
      yield true;
    };
  }
  return isAsync === true ? async () => true : () => true;
}

/** Returns a class of errors of the name that is written. */
export function classLike({ id }: SyntaxNode): new () => Error {
  const made = class extends Error {};
  Object.defineProperty(made, 'name', { value: id?.name ?? 'Error' });
  return made;
}
