/** From here on, a number is an instant in epoch seconds: as a delay it would be three years. */
const FIRST_EPOCH_SECOND = 1e8;

/** From here on, a number is an instant in epoch milliseconds: in seconds it would be the year 5138. */
const FIRST_EPOCH_MS = 1e11;

/** Returns when a rate limit resets: after a delay, or at an instant; `undefined` if the text is not a number. */
export function rateLimitReset(
  value: string,
): { readonly delayMs: number } | { readonly at: number } | undefined {
  if (!/^\+?\d+(\.\d+)?$/.test(value)) return undefined;
  const reset = Number(value);
  if (reset >= FIRST_EPOCH_MS) return { at: reset };
  return reset >= FIRST_EPOCH_SECOND ? { at: reset * 1_000 } : { delayMs: reset * 1_000 };
}

/**
 * Returns the delay that a `RateLimit` header asks for, in milliseconds: the longest `t` of the limits that are used up
 * (`"default";r=0;t=30`), or `reset` in the older form (`limit=100, remaining=0, reset=30`). `undefined` if it has none.
 */
export function parseRateLimit(value: string): number | undefined {
  const text = value.replace(/"(?:\\.|[^"\\])*"/g, '');
  const items = /\breset=/.test(text) ? [text] : text.split(',');
  const limits = items.map((item) => ({
    seconds: Number(/\b(?:t|reset)=(\d+)/.exec(item)?.[1]),
    isUsedUp: /\b(?:r|remaining)=0\b/.test(item),
  }));
  const readable = limits.filter(({ seconds }) => !Number.isNaN(seconds));
  const usedUp = readable.filter(({ isUsedUp }) => isUsedUp);
  const counted = usedUp.length > 0 ? usedUp : readable;
  if (counted.length === 0) return undefined;
  return counted.reduce((longest, { seconds }) => Math.max(longest, seconds), 0) * 1_000;
}
