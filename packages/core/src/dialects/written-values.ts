import { durationMs } from '../duration.ts';

/** Reads a number ≥ 0, or `Infinity`, also as text. */
export function atLeast0(written: unknown): number | undefined {
  if (written === 'Infinity') return Infinity;
  return typeof written === 'number' && written >= 0 ? written : undefined;
}

/** Reads a finite number ≥ 0. */
export function finite0(written: unknown): number | undefined {
  return within(atLeast0(written), Number.MAX_VALUE);
}

/** Returns the number if it is at most so large. */
export function within(given: number | undefined, most: number): number | undefined {
  return given !== undefined && given <= most ? given : undefined;
}

/** Reads seconds as a number or as text, in milliseconds. */
export function asSeconds(written: unknown): number | undefined {
  const count = typeof written === 'string' && /^\d+(\.\d+)?$/.test(written) ? Number(written) : written;
  const given = finite0(count);
  // The largest finite numbers of seconds would be Infinity in milliseconds, and 1.1 × 1000 has a fraction.
  return given === undefined
    ? undefined
    : Math.min(Number((given * 1_000).toPrecision(15)), Number.MAX_VALUE);
}

/** Reads seconds, or `Infinity` for no limit, as milliseconds. */
export function asEndlessSeconds(written: unknown): number | undefined {
  return written === Infinity || written === 'Infinity' ? Infinity : asSeconds(written);
}

/** Reads seconds, or a list of them that is not empty, as milliseconds. */
export function asIntervals(written: unknown): readonly number[] | undefined {
  const read = (Array.isArray(written) ? written : [written]).map(asSeconds);
  const intervals = read.filter((each) => each !== undefined);
  return intervals.length > 0 && intervals.length === read.length ? intervals : undefined;
}

/** Reads an integer ≥ 0, or `Infinity`. */
export function asCount(written: unknown): number | undefined {
  const count = atLeast0(written);
  return count === Infinity || Number.isSafeInteger(count) ? count : undefined;
}

/** Reads a length of time as Go writes it, in milliseconds. */
export function asSpan(written: unknown): number | undefined {
  if (written === 0 || written === '0') return 0;
  if (typeof written !== 'string') return undefined;
  const parts = written.match(/\d*\.?\d+(ms|[smhd])/g) ?? [];
  const known = parts.map((part) => durationMs(part.startsWith('.') ? `0${part}` : part));
  if (parts.length === 0 || parts.join('') !== written) return undefined;
  return known.reduce<number | undefined>(
    (sum, part) => (sum === undefined || part === undefined ? undefined : sum + part),
    0,
  );
}
