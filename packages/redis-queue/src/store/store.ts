import { createHash } from 'node:crypto';
import type { Argument, RedisLink } from '../driver/redis-link.ts';
import { changedReply } from '../errors.ts';
import { FIRST_START, widthOf } from '../record/layout.ts';
import type { Script } from '../scripts/create-script.ts';
import type { Keys } from './keys.ts';
import { toTag } from './keys.ts';
import type { Retention } from './retention.ts';

/** One partition of a queue, and how to reach it. */
export interface Store {
  readonly link: RedisLink;
  readonly keys: Keys;
  /** Set anew when the memory of the server is known. */
  readonly retention: Readonly<Retention>;
}

/** The parts of a store that run a script. */
export interface ScriptStore extends Pick<Store, 'keys'> {
  readonly link: Pick<RedisLink, 'send'>;
  readonly order?: ScriptOrder;
}

/**
 * How scripts are sent of calls that take effect in their order, whichever of them the server has cached: one that it refused would be sent
 * again behind calls that left later.
 */
interface ScriptOrder {
  /** Returns whether the text of the script was sent before, and notes that it is being sent. */
  readonly hasSentText: (script: Script) => boolean;
  /** What the text waits for where the server has forgotten the script: until earlier calls have ended. */
  readonly beforeText: () => Promise<void>;
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
  { link, keys, order }: ScriptStore,
  script: Script,
  args: readonly Argument[],
  laneTags: readonly string[] = [],
): Promise<unknown> {
  const key = keys.of.body;
  const rest = argumentsOf(keys, script, { args, laneTags });
  let reply: unknown;
  try {
    const hasSentText = order === undefined || order.hasSentText(script);
    const [command, name] = hasSentText ? ['EVALSHA', script.hash] : ['EVAL', script.text];
    reply = await link.send(key, [command, name, ...rest]);
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
    await order?.beforeText();
    reply = await link.send(key, ['EVAL', script.text, ...rest]);
  }
  // No script replies with nothing, and a command of a transaction that is open on the client is only queued.
  if (reply === undefined || reply === 'QUEUED') throw changedReply(reply);
  return reply;
}

/**
 * Runs a script that replies with a list.
 *
 * @throws {RedisBrokerError} `CLIENT_CONVERTS_REPLIES` for any other reply
 */
export async function runListScript(
  store: ScriptStore,
  script: Script,
  args: readonly Argument[],
  laneTags?: readonly string[],
): Promise<readonly unknown[]> {
  const reply = await runScript(store, script, args, laneTags);
  if (!Array.isArray(reply)) throw changedReply(reply);
  return reply;
}

/** Returns what follows the hash or the text of a script in the command that runs it: how many keys, the keys, the arguments. */
export function argumentsOf(
  keys: Keys,
  script: Script,
  { args, laneTags }: { readonly args: readonly Argument[]; readonly laneTags: readonly string[] },
): readonly Argument[] {
  const rest: Argument[] = [`${script.keys.length + laneTags.length}`];
  // Loops, because every call comes here, and most have one lane and a few arguments.
  for (const name of script.keys) rest.push(keys.of[name]);
  for (const tag of laneTags) rest.push(keys.laneOf(tag));
  for (const arg of args) rest.push(arg);
  return rest;
}

/** Whether a reply says that the server has not cached the script. */
export function isUnknownScript(reply: unknown): boolean {
  return reply instanceof Error && reply.message.startsWith('NOSCRIPT');
}

const DIGITS = widthOf(FIRST_START, 'laneHash');
/** Lanes are the names of tasks, of which a process knows some; one that makes up names has them reckoned anew. */
const MAX_KNOWN = 10_000;
const known = new Map<string, string>();

/** Returns 48 bits of a hash of the lane, as a number: what a started record has of it, so that the scripts need not reckon it. */
export function laneHash(tag: string): string {
  const hash = known.get(tag);
  if (hash !== undefined) return hash;
  if (known.size >= MAX_KNOWN) known.clear();
  const bits = createHash('sha1').update(tag).digest('hex').slice(0, 12);
  const made = `${Number.parseInt(bits, 16)}`.padStart(DIGITS, '0');
  known.set(tag, made);
  return made;
}
