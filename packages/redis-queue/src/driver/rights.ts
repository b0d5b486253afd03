import { isRetryError } from '@retry/core';
import { isReadOnly, RedisBrokerError, readOnly } from '../errors.ts';
import type { Keys } from '../store/keys.ts';
import type { Script, Store } from '../store/store.ts';
import { composeScript, runScript } from '../store/store.ts';
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
  ...['zrevrangebylex', 'zscore'],
];

/** Those that the broker sends itself. `config|get` may be refused; `waitaof` is needed by `durability` only. */
const OWN_COMMANDS = ['eval', 'evalsha', 'exec', 'info', 'multi', 'smembers', 'subscribe'] as const;

/**
 * Tries every command that the scripts use in one script, on keys that it removes afterwards, so that missing rights are found
 * before they stop a script half-way. It needs fewer rights than `ACL DRYRUN`, which is for administrators, and works on older
 * servers. Any other error of a command means that the user has the right.
 */
const PROBE: Script = composeScript({
  library: [],
  main: `
local base, channel = string.sub(KEYS[1], 1, -5), ARGV[1]
local hash, list, set, sorted = base .. 'probe-hash', base .. 'probe-list', base .. 'probe-set', base .. 'probe-sorted'
local missing = {}
local function try(...)
  local reply = redis.pcall(...)
  local problem = type(reply) == 'table' and reply.err
  if problem and (string.find(problem, 'NOPERM', 1, true) or string.find(problem, "executing the script can't ", 1, true)
    or string.find(problem, 'no permission', 1, true)) then
    missing[#missing + 1] = { string.lower(({ ... })[1]), problem }
  end
end
try('TIME')
try('EXISTS', hash)
-- The command that removes comes first: nothing is written that could not be removed again.
local function pair(remove, add)
  local count = #missing
  try(unpack(remove))
  if #missing == count then add() end
  redis.pcall(unpack(remove))
end
local text = base .. 'probe-text'
try('GET', text)
try('SET', text, '', 'XX', 'PX', '1')
pair({ 'HDEL', hash, 'a' }, function() try('HSET', hash, 'a', '1') try('HSETNX', hash, 'a', '1') try('HINCRBY', hash, 'a', '1') end)
pair({ 'LPOP', list }, function() try('RPUSH', list, 'a') end)
pair({ 'SREM', set, 'a' }, function() try('SADD', set, 'a') end)
pair({ 'ZREM', sorted, 'a' }, function() try('ZADD', sorted, '1', 'a') end)
try('HGET', hash, 'a') try('HGETALL', hash) try('HMGET', hash, 'a') try('HLEN', hash) try('HEXISTS', hash, 'a') try('HRANDFIELD', hash, '1')
try('HSTRLEN', hash, 'a')
try('LLEN', list) try('LPOS', list, 'b') try('LINDEX', list, '0') try('LRANGE', list, '0', '0') try('LREM', list, '1', 'b') try('LTRIM', list, '0', '0')
try('SCARD', set) try('SMEMBERS', set)
try('ZCARD', sorted) try('ZSCORE', sorted, 'a') try('ZMSCORE', sorted, 'a') try('ZRANGE', sorted, '0', '0')
try('ZRANGEBYSCORE', sorted, '1', '1') try('ZCOUNT', sorted, '1', '1') try('ZRANK', sorted, 'a') try('ZREVRANGEBYLEX', sorted, '[a', '[a') try('ZRANGEBYLEX', sorted, '[a', '[a') try('ZLEXCOUNT', sorted, '[a', '[a')
try('PUBLISH', channel, '')
return missing
`,
});

/** Checks that the user of the connection may send every command. @throws {RedisBrokerError} `MISSING_RIGHTS` */
export async function checkRights(link: RedisLink, keys: Keys): Promise<void> {
  let missing: readonly (readonly [command: string, problem: string])[];
  try {
    const reply = await runScript({ link, keys }, PROBE, [keys.wakeOf('')]);
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
 * Passes calls to a store while its user has all rights. After a call that a missing right may have stopped half-way, all rights are
 * checked before each call, until they are there again. After one that met a replica, our own connections leave it.
 */
export function guardRights(
  store: Pick<Store, 'link' | 'keys'>,
): <Answer>(call: () => Promise<Answer>) => Promise<Answer> {
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
  return (call) => (isLacking ? checked().then(call) : call()).catch(refuse);
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
  const pattern = keys.of.lanes.replace(/:\d+\}:lanes$/, ':*');
  const granted = [...SCRIPT_COMMANDS, ...OWN_COMMANDS].filter((name, at, all) => all.indexOf(name) === at);
  const cure = `Run ACL SETUSER <user> ~${pattern} &${pattern} ${granted.map((name) => `+${name}`).join(' ')}`;
  const message = `the Redis user of this connection may not use ${what} (${reason}). ${cure}`;
  return new RedisBrokerError('MISSING_RIGHTS', message, { cause });
}
