import { asSeconds, asSpan } from './written-values.ts';

/** Reads `'fixed 200'` or `{ strategy, delay }`. */
export function asBackoff(given: unknown): { readonly strategy: string; readonly delay: number } | undefined {
  const [, strategy, delay = '0'] = /^(immediate|fixed|exponential)(?: (\d+))?$/.exec(String(given)) ?? [];
  return strategy === undefined
    ? undefined
    : { strategy, delay: strategy === 'immediate' ? 0 : Number(delay) };
}

/** Reads a list of milliseconds. */
export function asDelays(given: unknown): readonly number[] | undefined {
  return isFilled(given) && given.every((each) => Number.isFinite(each) && Number(each) >= 0)
    ? given.map(Number)
    : undefined;
}

/** Reads seconds as milliseconds: a number, a list, or text with commas or spaces between. */
export function asTimes(given: unknown): readonly number[] | undefined {
  const parts =
    typeof given === 'string'
      ? given.split(/[\s,]+/).filter((part) => part !== '')
      : Array.isArray(given)
        ? given
        : [given];
  const times = parts.map(asSeconds);
  return isFilled(times) && times.every((time) => time !== undefined) ? times.map(Number) : undefined;
}

/** Reads lengths of time as Go writes them: text with commas between, or a list. */
export function asSpans(given: unknown): readonly number[] | undefined {
  const parts = typeof given === 'string' ? given.split(/\s*,\s*/) : given;
  if (!isFilled(parts)) return undefined;
  const times = parts.map(asSpan);
  return times.every((time) => time !== undefined) ? times.map(Number) : undefined;
}

/** Reads `'nak()'` as 0 and `'nak(3000)'` as 3000 ms. */
export function asNak(given: unknown): number | undefined {
  const [, ms] = /^nak\((\d*)\)$/.exec(String(given)) ?? [];
  return ms === undefined ? undefined : Number(ms);
}

/** Reads a number of executions of which 0 is no limit. */
export function asTries(given: unknown): number | undefined {
  const count = typeof given === 'string' ? Number(given) : given;
  if (!Number.isInteger(count) || Number(count) < 0) return undefined;
  return count === 0 ? Infinity : Number(count);
}

/** Reads a number of executions of which a negative one is no limit. */
export function asMaxStart(given: unknown): number | undefined {
  if (!Number.isInteger(given)) return undefined;
  return Number(given) < 0 ? Infinity : Math.max(Number(given), 1);
}

/** Reads a number of executions, or `unlimited`. */
export function asAttempts(given: unknown): number | undefined {
  if (given === 'unlimited' || given === 'Infinity') return Infinity;
  return Number.isInteger(given) && Number(given) >= 0 ? Math.max(Number(given), 1) : undefined;
}

/** Reads a number of retries as executions; `false` is none. */
export function asTotal(given: unknown): number | undefined {
  if (given === false) return 1;
  return Number.isInteger(given) && Number(given) >= 0 ? Number(given) + 1 : undefined;
}

/** Reads a number of retries as executions; `true` is 25, as in Sidekiq, and `false` is none. */
export function asRetry(given: unknown): number | undefined {
  return given === true ? 26 : asTotal(given);
}

function isFilled(given: unknown): given is readonly unknown[] {
  return Array.isArray(given) && given.length > 0;
}
