import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LaneWork } from '../../packages/redis-queue/src/wake/wait.ts';
import { LaneWatch, Wait } from '../../packages/redis-queue/src/wake/wait.ts';

/** Ahead of the local clock, as that of a server may be. */
const AHEAD_MS = 5_000;
const AT_ONCE = 0;

/** A watch whose reads a test answers. */
function openWatch() {
  const wait = new Wait(new Set(), { timeoutMs: 60_000 });
  const reads: ((work: LaneWork) => void)[] = [];
  const watch = new LaneWatch(wait, () => new Promise((resolve) => reads.push(resolve)));
  const serverNow = () => Date.now() + AHEAD_MS;
  /** Answers the latest read: the lanes have work in some time, or never. */
  const answer = async (work: { readonly inMs?: number; readonly isOnHold: boolean }): Promise<void> => {
    const { inMs, isOnHold } = work;
    const now = serverNow();
    reads.at(-1)?.({ now, workAt: inMs === undefined ? undefined : now + inMs, isOnHold });
    await vi.advanceTimersByTimeAsync(0);
  };
  return { wait, watch, reads, answer, serverNow };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('a watch of lanes without holds', () => {
  it('ends the wait with the next signal, and asks nothing', async () => {
    const { wait, watch, reads, answer } = openWatch();
    void watch.read();
    await answer({ isOnHold: false });
    expect(wait.hasEnded).toBe(false);

    await watch.signal(AT_ONCE);

    expect(wait.hasEnded).toBe(true);
    expect(reads).toHaveLength(1);
  });

  it('ends the wait when a run is due that a signal announced, by the clock of the server', async () => {
    const { wait, watch, answer, serverNow } = openWatch();
    void watch.read();
    await answer({ inMs: 300, isOnHold: false });
    await watch.signal(serverNow() + 100);

    await vi.advanceTimersByTimeAsync(99);
    expect(wait.hasEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1);

    expect(wait.hasEnded).toBe(true);
  });

  it('ends the wait for a signal that came during the read', async () => {
    const { wait, watch, reads, answer } = openWatch();
    void watch.read();
    await watch.signal(AT_ONCE);
    expect(wait.hasEnded).toBe(false);

    await answer({ isOnHold: false });

    expect(wait.hasEnded).toBe(true);
    expect(reads).toHaveLength(1);
  });

  it('leaves a signal before the first read to that read', async () => {
    const { wait, watch, answer } = openWatch();

    await watch.signal(AT_ONCE);
    void watch.read();
    await answer({ isOnHold: false });

    expect(wait.hasEnded).toBe(false);
  });
});

describe('a watch of lanes on hold', () => {
  it('asks after a signal, and keeps waiting while there is no work for a claim', async () => {
    const { wait, watch, reads, answer } = openWatch();
    void watch.read();
    await answer({ isOnHold: true });

    void watch.signal(AT_ONCE);
    await answer({ inMs: 1_000, isOnHold: true });

    expect(reads).toHaveLength(2);
    expect(wait.hasEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(wait.hasEnded).toBe(true);
  });

  it('asks once for all signals that come during a read', async () => {
    const { wait, watch, reads, answer } = openWatch();
    void watch.read();
    for (let count = 0; count < 10; count += 1) void watch.signal(AT_ONCE);
    await answer({ isOnHold: true });
    expect(reads).toHaveLength(2);

    await answer({ isOnHold: true });

    expect(reads).toHaveLength(2);
    expect(wait.hasEnded).toBe(false);
  });

  it('asks again when holds change during a read, and believes the last answer', async () => {
    const { wait, watch, reads, answer } = openWatch();
    void watch.read();
    void watch.read();
    await answer({ inMs: 10, isOnHold: true });
    await answer({ inMs: 1_000, isOnHold: true });

    await vi.advanceTimersByTimeAsync(500);

    expect(reads).toHaveLength(2);
    expect(wait.hasEnded).toBe(false);
  });

  it('ends the wait when the holds are gone and a run waits', async () => {
    const { wait, watch, answer } = openWatch();
    void watch.read();
    await answer({ isOnHold: true });

    void watch.read();
    await answer({ inMs: 0, isOnHold: false });

    expect(wait.hasEnded).toBe(true);
  });

  it('asks nothing more once the wait has ended', async () => {
    const { wait, watch, reads, answer } = openWatch();
    void watch.read();
    await answer({ isOnHold: true });
    wait.end();

    await watch.signal(AT_ONCE);

    expect(reads).toHaveLength(1);
  });
});
