import { createHash } from 'node:crypto';
import type { Argument, RedisLink } from '../driver/redis-link.ts';
import type { Keys } from './keys.ts';
import { toTag } from './keys.ts';

/** A Lua script and its SHA-1, by which Redis runs it. */
export interface Script {
  readonly text: string;
  readonly hash: string;
}

/** Returns a script made of parts, in this order. */
export function defineScript(...parts: readonly string[]): Script {
  const text = parts.join('\n');
  return { text, hash: createHash('sha1').update(text).digest('hex') };
}

/** One partition of a queue, and how to reach it. */
export interface Store {
  readonly link: RedisLink;
  readonly keys: Keys;
  /**
   * The first arguments of scripts that forget runs: how many completed runs are kept (negative: all), and for how many
   * milliseconds names of forgotten ones stay taken.
   */
  readonly retention: readonly [keepCompleted: string, keepKeysMs: string];
}

/** The lanes of one call; its script refers to them by number, counted from 1. */
export interface LaneList {
  readonly tags: readonly string[];
  /** Returns the number of a lane, which is added if it is new. */
  readonly numberOf: (lane: string) => number;
}

/** Returns an empty list of lanes. */
export function createLaneList(): LaneList {
  const tags: string[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (lane: string): number => {
    const known = numbers.get(lane);
    if (known !== undefined) return known;
    tags.push(toTag(lane));
    numbers.set(lane, tags.length);
    return tags.length;
  };
  return { tags, numberOf };
}

/** Runs a script over the keys of the partition and of these lanes; sends its text where the server has not cached it. */
export async function runScript(
  { link, keys }: Pick<Store, 'link' | 'keys'>,
  script: Script,
  args: readonly Argument[],
  laneTags: readonly string[] = [],
): Promise<unknown> {
  const key = keys.fixed[0] ?? '';
  const count = `${keys.fixed.length + laneTags.length}`;
  const rest = [count, ...keys.fixed, ...laneTags.map(keys.laneOf), ...args];
  try {
    return await link.send(key, ['EVALSHA', script.hash, ...rest]);
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
    return link.send(key, ['EVAL', script.text, ...rest]);
  }
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}
