import { createHash } from 'node:crypto';

/** A Lua script and the hash that Redis knows it by. */
export interface Script {
  readonly text: string;
  readonly hash: string;
}

/** A script made of parts, in this order. */
export function defineScript(...parts: readonly string[]): Script {
  const text = parts.join('\n');
  return { text, hash: createHash('sha1').update(text).digest('hex') };
}
