import { isClassless, ownEntries } from '../matching/own-values.ts';
import { responsesOf } from '../matching/responses-of.ts';
import { isList, read } from '../read.ts';

/** Clients that document `retryAfter` as seconds, by the names of their errors: Slack, Linear, Vercel Blob, Qdrant, Clerk. */
const IN_SECONDS =
  /^(?:WebAPIRateLimitedError|RateLimit(?:ed)?LinearError|RatelimitedLinearError|BlobServiceRateLimited|QdrantClientResourceExhaustedError|ClerkAPIResponseError)$/;

/**
 * Names that say their unit, of an error or in the body of its response: `retryAfterSeconds` of AWS Lambda and Kubernetes,
 * `retryAfterInMs` of Azure Cosmos DB, `retry_after_ms`.
 */
const WITH_UNIT = /^retry_?after_?(?:in_?)?(?:(s(?:ec\w*)?)|m(?:illi)?s\w*)$/i;

/** Errors of discord.js, whose `retryAfter` is in milliseconds. */
const IN_MILLISECONDS = /^(?:RateLimitError|DiscordRateLimitError)$/;

/** Only discord.js has these beside `retryAfter`: other clients have a `RateLimitError`, too. */
const DISCORD_KEY = 'timeToReset';

/** A delay in a message, with its unit: "try again in 20s", "retry this request in 7 seconds", "Retry after 1m30s". */
const IN_TEXT =
  /\b(?:retry|try again|again)\b[^.\n]{0,60}?\b(?:in|after|for) (?:(\d{1,9}) ?m(?:in(?:ute)?s?)? ?)?(?:(\d{1,9}(?:\.\d{1,9})?) ?(ms|milliseconds?|s|sec|secs|seconds?))?(?![\w])/i;

/** The beginning of a message in which a delay is looked for. */
const MAX_MESSAGE_LENGTH = 4_096;

/** The objects of an error that are searched for a delay. */
const MAX_OBJECTS = 200;

/** Where an error keeps the body of its response, or the details of its status. */
const BODIES = [
  ...['statusDetails', 'details', 'errorDetails', 'error', 'body', 'data', 'response', 'message'],
  // As text: AI SDK, Apollo, Typesense, Azure.
  ...['responseBody', 'bodyText', 'httpBody', 'bodyAsText'],
] as const;

/** The longest text that is parsed as JSON. */
const MAX_JSON_LENGTH = 65_536;

/** Returns the delay in milliseconds that an error states itself, without headers; `undefined` if it states none. Never throws. */
export function statedDelayMs(error: unknown): number | undefined {
  return delayWithUnit(error) ?? retryAfterOf(error) ?? delayInBody(error) ?? delayInText(error);
}

/** Reads what names with a unit hold; of rate-limiter-flexible and PostHog, they are getters of a class. */
function delayWithUnit(value: unknown): number | undefined {
  const stated = asDelay(read(value, 'retryAfterMs')) ?? asDelay(read(value, 'msBeforeNext'));
  if (stated !== undefined) return stated;
  for (const [name, given] of isObject(value) ? ownEntries(value) : []) {
    const found = WITH_UNIT.exec(name);
    const count = typeof given === 'string' && given !== '' ? Number(given) : given;
    if (found) return asDelay(count, found[1] ? 1_000 : 1);
  }
  return undefined;
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

/** Finds a `google.rpc.RetryInfo` or a name with a unit: in the details of a status, in a body, or in the JSON of a message. */
function delayInBody(error: unknown): number | undefined {
  const holders = [error, ...responsesOf(error)];
  const queue = holders.flatMap((holder) => BODIES.map((key) => parsedIfText(read(holder, key))));
  for (let index = 0; index < queue.length && index < MAX_OBJECTS; index += 1) {
    const value = queue[index];
    const delayMs = protoDurationMs(read(value, 'retryDelay')) ?? delayWithUnit(value);
    if (delayMs !== undefined) return delayMs;
    queue.push(...innerObjects(value));
  }
  return undefined;
}

/** Only plain data is entered: a socket or a stream would be large. */
function innerObjects(value: unknown): readonly unknown[] {
  if (!isObject(value)) return [];
  const isData = isList(value) || isClassless(value);
  return isData ? ownEntries(value).flatMap(([, inner]) => (isObject(inner) ? [inner] : [])) : [];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Returns what the JSON in a text says, where it may have a delay: parsing any other would be for nothing. */
function parsedIfText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.length > MAX_JSON_LENGTH || !value.includes('"retry')) return undefined;
  try {
    return JSON.parse(value.slice(value.indexOf('{'), value.lastIndexOf('}') + 1));
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
