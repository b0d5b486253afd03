import { posix } from 'node:path';
import { listImports } from './imports.ts';
import type { Source } from './source.ts';

/**
 * Circles of imports among files, of types as well: of each group of files that reach each other, the shortest way
 * around.
 *
 * @returns one line for each circle: `a.ts -> b.ts -> a.ts`
 */
export function findCircles(sources: readonly Source[]): readonly string[] {
  const graph = new Map(sources.map((source) => [source.path, relativeImports(source)]));
  const found = new Map<string, string>();
  for (const path of graph.keys()) {
    const circle = shortestCircle(graph, path);
    const key = [...circle].sort().join(' ');
    if (circle.length > 0 && !found.has(key)) found.set(key, [...circle, path].join(' -> '));
  }
  return [...found.values()];
}

type Graph = ReadonlyMap<string, readonly string[]>;

function relativeImports(source: Source): readonly string[] {
  return listImports(source)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => posix.join(posix.dirname(source.path), specifier));
}

/** The files on the shortest way from a file back to itself, that file first; empty when there is none. */
function shortestCircle(graph: Graph, start: string): readonly string[] {
  const before = new Map<string, string>();
  const queue = [start];
  for (const path of queue) {
    for (const target of graph.get(path) ?? []) {
      if (target === start) return wayTo(path, before);
      if (before.has(target) || !graph.has(target)) continue;
      before.set(target, path);
      queue.push(target);
    }
  }
  return [];
}

function wayTo(end: string, before: ReadonlyMap<string, string>): readonly string[] {
  const previous = before.get(end);
  return previous === undefined ? [end] : [...wayTo(previous, before), end];
}
