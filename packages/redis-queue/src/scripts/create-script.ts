import { createHash } from 'node:crypto';
import type { KeyName } from '../store/keys.ts';

/** A Lua script and its SHA-1, by which Redis runs it. */
export interface Script {
  readonly text: string;
  readonly hash: string;
  /** The keys that it gets, before those of lanes. */
  readonly keys: readonly KeyName[];
}

/** Returns a script of these pieces, of which some belong to several scripts. */
export function createScript(keys: readonly KeyName[], pieces: readonly string[]): Script {
  const text = pieces.join('\n');
  return { text, hash: createHash('sha1').update(text).digest('hex'), keys };
}
