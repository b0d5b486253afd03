import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { latenessOfStalls } from './calm.ts';
import type { Deed } from './plan.ts';
import { BEAT_MS, CLEANER_MS, LEASE_MS, PROMPT_MS } from './plan.ts';

const STRIKE_AT = 10_000;

/** A process that began long ago and beats every `BEAT_MS`, but for the beats that take longer. */
function beatsOf(by: number, until: number, slow: readonly { at: number; forMs: number }[] = []): Deed[] {
  const beats: Deed[] = [];
  for (let from = 0; from < until; ) {
    const late = slow.find(({ at }) => at >= from && at < from + BEAT_MS);
    const at = from + (late?.forMs ?? BEAT_MS);
    beats.push({ type: 'beat', by, from, at });
    from = at;
  }
  return beats;
}

function stalledAt(at: number): Deed {
  return { type: 'stalled', id: 'a', epoch: 1, at };
}

describe('latenessOfStalls', () => {
  it('finds a worker whose cleaner looks ten times too rarely, where all processes are prompt', () => {
    const at = STRIKE_AT + LEASE_MS + LEASE_MS / 3 + 2_500 + 10 * CLEANER_MS;
    const deeds = [...beatsOf(1, at), ...beatsOf(2, at), stalledAt(at)];

    expect(latenessOfStalls(deeds, [STRIKE_AT])).toBeGreaterThan(0);
  });

  it('finds none late within a lease, the time for the living and an interval of the cleaner', () => {
    const at = STRIKE_AT + LEASE_MS / 3 + 2_500 + CLEANER_MS;

    expect(latenessOfStalls([...beatsOf(1, at), stalledAt(at)], [STRIKE_AT])).toBeLessThanOrEqual(0);
  });

  it('never blames a worker for a stall that is found soon after any process had to wait', () => {
    const aWait = fc.record({
      at: fc.integer({ min: STRIKE_AT, max: 60_000 }),
      forMs: fc.integer({ min: PROMPT_MS + 1, max: 20_000 }),
    });
    fc.assert(
      fc.property(aWait, fc.integer({ min: 0, max: 3_000 }), (wait, afterMs) => {
        const at = wait.at + wait.forMs + afterMs;
        const deeds = [...beatsOf(1, at), ...beatsOf(2, at, [wait]), stalledAt(at)];

        expect(latenessOfStalls(deeds, [STRIKE_AT])).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('counts the last wait of a process that was killed before its next beat', () => {
    const killedAt = 60_000;
    const deeds = [...beatsOf(1, 90_000), ...beatsOf(2, 40_000), stalledAt(59_000)];

    expect(latenessOfStalls(deeds, [STRIKE_AT])).toBeGreaterThan(0);
    expect(latenessOfStalls(deeds, [STRIKE_AT, killedAt])).toBeLessThanOrEqual(0);
  });
});
