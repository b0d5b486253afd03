import type { Note } from '@retry/core/broker';
import { HOLD_SOURCES, holdKey } from '@retry/core/broker/kit';
import type { NaiveNotes } from './notes.ts';

/** What the notes of holds say about lanes. */
export type Holds = ReturnType<typeof createHolds>;

/** Reads the notes of holds. */
export function createHolds({ get, set }: Pick<NaiveNotes, 'get' | 'set'>) {
  function holdsOn(lane: string, now: number): readonly Note[] {
    const keys = HOLD_SOURCES.flatMap((source) => [holdKey({ source }), holdKey({ lane, source })]);
    return keys.flatMap((key) => get(key, now) ?? []);
  }

  /** Until when the lane is on hold: 0 when it is not. */
  function heldUntil(lane: string, now: number): number {
    const ends = holdsOn(lane, now).map(({ expiresAt = Infinity }) => expiresAt);
    return Math.max(0, ...ends.filter((end) => end > now));
  }

  function probes(lane: string, now: number): boolean {
    return holdsOn(lane, now).some(({ probeMs }) => probeMs !== undefined);
  }

  /** The next run of the lane is let through `probeMs` from now. */
  function noteProbe(lane: string, now: number): void {
    for (const hold of holdsOn(lane, now))
      if (hold.probeMs !== undefined) set({ ...hold, expiresAt: now + hold.probeMs });
  }

  return { heldUntil, probes, noteProbe };
}
