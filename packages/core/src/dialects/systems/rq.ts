import { asSeconds, retries, value } from '../option.ts';
import { constant, defineSystem, list, type System } from '../system.ts';

function listFor(max: number, interval: number | readonly number[]): readonly number[] {
  const given = typeof interval === 'number' ? [interval] : interval;
  return Array.from(
    { length: Math.min(max, 64) },
    (_, index) => given[Math.max(given.length - max + index, 0)] ?? 0,
  );
}

function asInterval(written: unknown): number | readonly number[] | undefined {
  if (!Array.isArray(written)) return asSeconds(written);
  const read = written.map(asSeconds);
  return read.length > 0 && read.every((each) => each !== undefined) ? read : undefined;
}

/** RQ: its Retry. */
export const rq: System = /* @__PURE__ */ defineSystem({
  name: 'rq',
  title: 'RQ',
  version: '1.13.0',
  fidelity: 'exact',
  remarks: [
    'A list that is shorter than `max` repeats its first entry; of a longer one the last entries count. Delays begin at whole seconds.',
  ],
  options: {
    max: retries(1, 'executions after the first'),
    interval: value<number | readonly number[]>(
      { unit: 's', parse: asInterval, must: 'seconds, or a list of seconds' },
      0,
      'a delay, or a list of delays',
    ),
  },
  policy: ({ max, interval }) => ({
    maxAttempts: max,
    backoff:
      max > 1 && max < Infinity
        ? list(listFor(max - 1, interval))
        : constant(typeof interval === 'number' ? interval : (interval[0] ?? 0)),
  }),
});
