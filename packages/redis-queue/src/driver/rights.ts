import { isRetryError } from '@retry/core';
import type { CloseGate } from '@retry/core/broker/kit';
import { isReadOnly, RedisBrokerError, readOnly } from '../errors.ts';
import { checkRightsScript } from '../scripts/lua-code.ts';
import type { Keys } from '../store/keys.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';
import type { RedisLink } from './redis-link.ts';

/** Every command that the scripts send; a test compares. */
export const SCRIPT_COMMANDS: readonly string[] = [
  ...[
    'exists',
    'get',
    'hdel',
    'hexists',
    'hget',
    'hgetall',
    'hincrby',
    'hlen',
    'hmget',
    'hrandfield',
    'hset',
    'hsetnx',
    'hstrlen',
  ],
  ...[
    'llen',
    'lindex',
    'lpop',
    'lpos',
    'lrange',
    'lrem',
    'ltrim',
    'publish',
    'rpush',
    'sadd',
    'scard',
    'set',
    'smembers',
    'srem',
  ],
  ...[
    'time',
    'zadd',
    'zcard',
    'zcount',
    'zlexcount',
    'zmscore',
    'zrange',
    'zrangebylex',
    'zrangebyscore',
    'zrank',
    'zrem',
  ],
  ...['zrevrangebylex', 'zscan', 'zscore'],
];

/** The commands that the broker sends itself, not in scripts. `config|get` may be refused; `waitaof` is needed by `durability` only. */
const OWN_COMMANDS = ['eval', 'evalsha', 'exec', 'info', 'multi', 'smembers', 'subscribe'] as const;

/** Checks that the user of the connection may send every command. @throws {RedisBrokerError} `MISSING_RIGHTS` */
export async function checkRights(link: RedisLink, keys: Keys): Promise<void> {
  let missing: readonly (readonly [command: string, problem: string])[];
  try {
    const reply = await runScript({ link, keys }, checkRightsScript, [keys.wakeOf('')]);
    missing = reply as typeof missing; // what our own script returns
    if (missing.length === 0) await tryTransaction(link, keys);
  } catch (error) {
    throw withCure(error, keys);
  }
  if (missing.length === 0) return;
  const commands = [...new Set(missing.map(([command]) => command))];
  throw missingRights(commands, { keys, reason: missing[0]?.[1] ?? '', cause: undefined });
}

/** A server without memory refuses every command of a transaction, though scripts still run: only a missing right is a problem. */
async function tryTransaction({ sendAll }: RedisLink, { of: { lanes } }: Keys): Promise<void> {
  try {
    await sendAll?.(lanes, [['EXISTS', lanes]]);
  } catch (error) {
    if (error instanceof Error && isMissingRight(error.message)) throw error;
  }
}

/**
 * Passes calls to a store while the broker is open and its user has all rights. After a call that a missing right may have stopped half-way, all rights are
 * checked before each call, until they are there again. After one that met a replica, our own connections leave it.
 */
export function guardRights(store: Pick<Store, 'link' | 'keys'>, pass: CloseGate['pass']): CloseGate['pass'] {
  let isLacking = false;
  const refuse = (error: unknown): never => {
    isLacking = isLacking || (error instanceof Error && isMissingRight(error.message));
    const cured = withCure(error, store.keys);
    if (isRetryError(cured, 'REDIS_READ_ONLY')) store.link.leave?.();
    throw cured;
  };
  const checked = async (): Promise<void> => {
    await checkRights(store.link, store.keys);
    isLacking = false;
  };
  return (call) => pass(isLacking ? () => checked().then(call) : call).catch(refuse);
}

/** Redis before 7.2 has no code for a command that is refused inside of a script; a refused `EXEC` has another one. */
export function isMissingRight(message: string): boolean {
  return /^(?:EXECABORT .*: )?NOPERM/.test(message) || message.includes('The user executing the script can');
}

/** Returns the error, or, if it reports missing rights or a replica, one that says what to do. */
export function withCure(error: unknown, keys: Keys): unknown {
  if (isReadOnly(error)) return readOnly(error);
  if (!(error instanceof Error) || error instanceof RedisBrokerError || !isMissingRight(error.message))
    return error;
  const command = /'(?<command>[\w|]+)'/.exec(error.message)?.groups?.['command'];
  const commands = command === undefined ? [] : [command];
  return missingRights(commands, { keys, reason: error.message, cause: error });
}

interface Refused {
  readonly keys: Keys;
  readonly reason: string;
  readonly cause: unknown;
}

function missingRights(commands: readonly string[], { keys, reason, cause }: Refused): RedisBrokerError {
  const what = commands.length === 0 ? 'a key or a channel' : commands.join(', ');
  const pattern = `${escapeGlob(keys.of.lanes.replace(/:\d+\}:lanes$/, ':'))}*`;
  const granted = [...SCRIPT_COMMANDS, ...OWN_COMMANDS].filter((name, at, all) => all.indexOf(name) === at);
  const cure = `Run ACL SETUSER <user> ${redisWord(`~${pattern}`)} ${redisWord(`&${pattern}`)} ${granted.map((name) => `+${name}`).join(' ')}`;
  const message = `the Redis user of this connection may not use ${what} (${reason}). ${cure}`;
  return new RedisBrokerError('MISSING_RIGHTS', message, { cause });
}

/** A prefix means itself in a pattern, also where it has letters that stand for others. Patterns of Redis cannot have spaces. */
function escapeGlob(text: string): string {
  return text.replaceAll(/[*?[\]\\]/g, '\\$&').replaceAll(/\s/g, '?');
}

/** Returns a word of a command as `redis-cli` reads it. */
function redisWord(word: string): string {
  if (!/[\s"'\\\p{Cc}]/u.test(word)) return word;
  const escaped = word.replaceAll(/["\\]/g, '\\$&').replaceAll(/\p{Cc}/gu, hexOf);
  return `"${escaped}"`;
}

/** Control characters beyond ASCII are two bytes. */
function hexOf(letter: string): string {
  return Buffer.from(letter).reduce((text, byte) => `${text}\\x${byte.toString(16).padStart(2, '0')}`, '');
}
