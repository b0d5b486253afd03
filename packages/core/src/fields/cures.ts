import type { PolicyKey } from '../policy/policy.ts';
import { POLICY_SYNONYMS, type Synonyms } from './synonyms.ts';

/** The keys of a policy, in the order of error messages. */
export const POLICY_KEYS: readonly PolicyKey[] = [
  'maxAttempts',
  'initialDelay',
  'backoff',
  'delays',
  'immediateFirst',
  'jitter',
  'minDelay',
  'maxDelay',
  'capAt',
  'granularity',
  'retryOn',
  'stopOn',
  'idempotent',
  'retryIf',
  'attemptTimeout',
  'totalTimeout',
  'retryTimeouts',
  'retryAfter',
  'retryable',
];

/** Keys of other libraries that count attempts (the first group is there) or retries: executions after the first. */
const COUNT =
  /^(?:(?:(?:total)?max(?:imum)?|num(?:ber)?(?:Of)?|stop(?:After|Max)|start)?(?:(attempts?(?:Number)?|tries|times)|(?:network|adaptive)?retries|(?:retry|reconnect(?:ion)?)(?:Limit|Count|Attempts|Max))(?:Limit)?|maxRetry|limit)$/i;

/** Names of the options of a call. */
const CALL_OPTION = /^(signal|unref|on[A-Z]\w*|beforeRetry|retryIfResult|budget|circuitBreaker|reportError)$/;

/** The keys of an object of options, and what is known about others. */
export interface KnownKeys {
  /** Every other key is a problem. */
  readonly keys: readonly string[];
  /** Their names in other libraries. */
  readonly synonyms?: Synonyms;
  /** The cures of some keys. */
  readonly cures?: Readonly<Record<string, string>>;
  /** The order of the arguments, where a policy is written beside these options. */
  readonly order?: string;
}

/** A longer key is none that was misspelt. */
const MAX_KEY_LENGTH = 100;

/** Returns the cure for an unknown key: what to write instead. */
export function cureForKey(given: string, value: unknown, known: KnownKeys): string {
  const { keys, cures = {}, order } = known;
  const key = given.slice(0, MAX_KEY_LENGTH);
  if (Object.hasOwn(cures, key)) return cures[key] ?? '';
  const camel = inCamelCase(key);
  const isPolicy = keys.includes('maxAttempts');
  // As in TanStack Query, got and ky, where it may be an object, too.
  const count = COUNT.exec(camel === 'retry' && typeof value === 'number' ? 'retries' : camel);
  if (count !== null && isPolicy) return countCure(value, count[1] === undefined ? 1 : 0);
  const bare = camel.replace(/(In)?(Ms|Millis(econds)?|Sec(ond)?s)$/i, '');
  if (bare !== key && keys.includes(bare)) {
    if (bare === camel) return `Use ${bare}.`;
    // A spread policy has these keys.
    return `Use ${bare}: it takes milliseconds or text like '2s'.${isPolicy ? ' extendPolicy changes a policy.' : ''}`;
  }
  const words = bare.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const { synonyms = isPolicy ? POLICY_SYNONYMS : [] } = known;
  const synonym = synonyms.find(
    ([names, ours]) =>
      (names.test(camel) || names.test(words)) && (isPolicy || keys.includes(/^\w*/.exec(ours)?.[0] ?? '')),
  );
  if (synonym !== undefined) return `Use ${synonym[1]}.`;
  if (isPolicy && CALL_OPTION.test(camel)) {
    return 'It is an option of withRetry(fn, policy, options), not of the policy.';
  }
  const isOfPolicy = POLICY_KEYS.some((own) => own === key);
  const cure = isOfPolicy ? 'Write it.' : isPolicy ? '' : cureForKey(key, value, { keys: POLICY_KEYS });
  if (/^(Use|Write) /.test(cure)) {
    if (order !== undefined) return `${cure.slice(0, -1)} in the policy: ${order}.`;
    if (keys.includes('retry')) return isOfPolicy ? 'It belongs in retry.' : `It belongs in retry. ${cure}`;
  }
  return `${isOfPolicy ? `${key} belongs to the policy. ` : didYouMean(key, keys)}Known keys are ${[...new Set(keys)].join(', ')}.`;
}

/** Returns a key in camel case: `--max-time`, `max_time` and `MaxTime` are `maxTime`. */
function inCamelCase(key: string): string {
  return key
    .replace(/^-+/, '')
    .replace(/[-_]+([a-z])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

function didYouMean(key: string, keys: readonly string[]): string {
  const meant = keyMeantBy(key, keys);
  return meant === undefined ? '' : `Did you mean ${meant}? `;
}

/** Returns the key that differs least from this one: by at most two letters that are added, missing or wrong, whatever their case. */
export function keyMeantBy(key: string, keys: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = key.length < 5 ? 2 : 3;
  for (const known of keys) {
    if (Math.abs(known.length - key.length) >= least) continue;
    const edits = editsBetween(key.toLowerCase(), known.toLowerCase());
    if (edits < least) [best, least] = [known, edits];
  }
  return best;
}

/** Returns the Levenshtein distance of two short texts. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, against] of [...other].entries()) {
      const same = (row[at] ?? 0) + (letter === against ? 0 : 1);
      next.push(Math.min(same, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Returns the cure for a value that is none of these. */
export function useOneOf(choices: readonly unknown[]): string {
  return `Use one of ${choices.join(', ')}.`;
}

/** Returns the cure for a key that counts. @param uncounted - attempts it does not count: 1 if it counts retries, else 0 */
function countCure(value: unknown, uncounted: number): string {
  const attempts = typeof value === 'number' ? value + uncounted : Number.NaN;
  const isCount = attempts >= 1 && (Number.isInteger(attempts) || attempts === Infinity);
  return isCount ? `Use maxAttempts: ${attempts}.` : 'Use maxAttempts, which counts the first attempt too.';
}
