import type { Operation } from '@retry/core/broker';

/** How far ahead of the broker's clock runs get their due times, so that a carrier that dies leaves no gap in the rate. */
export const AHEAD_MS = 10_000;

/** The runs of the next step, and when they are due. */
interface Spacing {
  /** How many runs may be taken now, at most. */
  readonly room: number;
  /** Returns when runs are due, in epoch milliseconds by the broker's clock; none for runs that are due at once. */
  readonly dueAts: (count: number) => readonly number[];
  /** When the run after these is due; absent without a rate. */
  readonly nextAt: (count: number) => number | undefined;
}

/**
 * Returns how many runs the next step takes, and when they are due: one every `1000 / perSecond` ms, or with a spread one at random
 * within each of as many equal parts of it as there are runs. What was missed while no carrier was there is not made up for.
 *
 * @param nextAt - when the next run is due by the step before; absent at the first
 * @param most - the most runs of a step
 */
export function spacingOf(
  { perSecond, spreadMs, planned }: Pick<Operation, 'perSecond' | 'spreadMs' | 'planned'>,
  at: { readonly now: number; readonly nextAt: number | undefined },
  { most, random }: { readonly most: number; readonly random: () => number },
): Spacing {
  if (perSecond === undefined && spreadMs === undefined)
    return { room: most, dueAts: () => [], nextAt: () => undefined };
  const gapMs = perSecond === undefined ? (spreadMs ?? 0) / Math.max(planned, 1) : 1_000 / perSecond;
  const from = Math.max(at.nextAt ?? at.now, at.now);
  const room = Math.floor((at.now + AHEAD_MS - from) / gapMs) + 1;
  const offset = (): number => (spreadMs === undefined ? 0 : random());
  return {
    room: Math.max(0, Math.min(room, most)),
    dueAts: (count) => Array.from({ length: count }, (_, index) => from + (index + offset()) * gapMs),
    nextAt: (count) => from + count * gapMs,
  };
}
