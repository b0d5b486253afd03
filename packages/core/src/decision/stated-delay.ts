import { isList, read } from '../read.ts';

/** Clients that document `retryAfter` as seconds, by the names of their errors: Slack, Linear, Vercel Blob. */
const IN_SECONDS =
  /^(?:WebAPIRateLimitedError|RateLimit(?:ed)?LinearError|RatelimitedLinearError|BlobServiceRateLimited)$/;

/** Those of discord.js have milliseconds. */
const IN_MILLISECONDS = /^(?:RateLimitError|DiscordRateLimitError)$/;

/** Only discord.js has these beside `retryAfter`: other clients have a `RateLimitError`, too. */
const DISCORD_KEY = 'timeToReset';

/** A delay in a message, with its unit: "try again in 20s", "retry this request in 7 seconds", "Retry after 1m30s". */
const IN_TEXT =
  /\b(?:retry|try again|again)\b[^.\n]{0,60}?\b(?:in|after|for) (?:(\d{1,9}) ?m(?:in(?:ute)?s?)? ?)?(?:(\d{1,9}(?:\.\d{1,9})?) ?(ms|milliseconds?|s|sec|secs|seconds?))?(?![\w])/i;

/** The beginning of a message in which a delay is looked for. */
const MAX_MESSAGE_LENGTH = 4_096;

/** The objects of an error that are searched for a `RetryInfo`. */
const MAX_OBJECTS = 200;

/** Where an error keeps the body of its response, or the details of its status. */
const BODIES = ['statusDetails', 'details', 'errorDetails', 'error', 'body', 'data', 'response'] as const;

/** Returns the delay in milliseconds that an error states itself, without headers; `undefined` if it states none. Never throws. */
export function statedDelayMs(error: unknown): number | undefined {
  return (
    asDelay(read(error, 'retryAfterMs')) ?? retryAfterOf(error) ?? retryInfoOf(error) ?? delayInText(error)
  );
}

function asDelay(value: unknown, unitMs = 1): number | undefined {
  return typeof value === 'number' && value >= 0 ? Math.min(value * unitMs, Number.MAX_VALUE) : undefined;
}

/** Reads `retryAfter`, whose unit only the client says; and that of Telegram, whose API counts seconds. */
function retryAfterOf(error: unknown): number | undefined {
  const given = read(error, 'retryAfter') ?? read(error, 'retry_after');
  if (typeof given === 'number') {
    const names = namesOf(error);
    if (names.some((name) => IN_SECONDS.test(name))) return asDelay(given, 1_000);
    const isDiscord =
      read(error, DISCORD_KEY) !== undefined && names.some((name) => IN_MILLISECONDS.test(name));
    if (isDiscord) return asDelay(given);
  }
  const parameters = read(error, 'parameters') ?? read(read(error, 'response'), 'parameters');
  return asDelay(read(parameters, 'retry_after'), 1_000);
}

/** Vercel Blob has only the name of the class. */
function namesOf(error: unknown): readonly string[] {
  const made: unknown = read(error, 'constructor');
  const names = [read(error, 'name'), typeof made === 'function' ? made.name : undefined];
  return names.filter((name) => typeof name === 'string');
}

/** Finds a `google.rpc.RetryInfo`: in the details of a status, in a body, or in the JSON of a message. */
function retryInfoOf(error: unknown): number | undefined {
  const queue: unknown[] = BODIES.map((key) => read(error, key)).concat(parsedMessage(error));
  for (let index = 0; index < queue.length && index < MAX_OBJECTS; index += 1) {
    const value = queue[index];
    const delayMs = protoDurationMs(read(value, 'retryDelay'));
    if (delayMs !== undefined) return delayMs;
    queue.push(...innerObjects(value));
  }
  return undefined;
}

/** Only plain data is entered: a socket or a stream would be large. */
function innerObjects(value: unknown): readonly unknown[] {
  try {
    if (isList(value)) return value.slice(0, MAX_OBJECTS);
    if (typeof value !== 'object' || value === null) return [];
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype) return [];
    return Object.values(value).filter((inner) => typeof inner === 'object');
  } catch {
    return [];
  }
}

function parsedMessage(error: unknown): unknown {
  const message = read(error, 'message');
  if (typeof message !== 'string' || !message.includes('retryDelay')) return undefined;
  try {
    return JSON.parse(message.slice(message.indexOf('{'), message.lastIndexOf('}') + 1));
  } catch {
    return undefined;
  }
}

/** Reads a duration as protobuf writes it: `'17.5s'` in JSON, `{ seconds, nanos }` elsewhere. */
function protoDurationMs(value: unknown): number | undefined {
  if (typeof value === 'string') {
    const seconds = /^(\d{1,12}(?:\.\d{1,9})?)s$/.exec(value)?.[1];
    return seconds === undefined ? undefined : Number(seconds) * 1_000;
  }
  const [seconds, nanos] = [read(value, 'seconds'), read(value, 'nanos')];
  if (seconds === undefined && nanos === undefined) return undefined;
  // 64-bit numbers are text, or objects that are read as text.
  return asDelay(Number(`${seconds ?? 0}`) * 1_000 + Math.ceil(Number(`${nanos ?? 0}`) / 1e6));
}

function delayInText(error: unknown): number | undefined {
  const message = read(error, 'message');
  if (typeof message !== 'string') return undefined;
  const [, minutes, count, unit = ''] = IN_TEXT.exec(message.slice(0, MAX_MESSAGE_LENGTH)) ?? [];
  if (minutes === undefined && count === undefined) return undefined;
  const rest = Number(count ?? 0) * (/^m/i.test(unit) ? 1 : 1_000);
  return Number(minutes ?? 0) * 60_000 + rest;
}
