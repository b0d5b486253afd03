import { newRun } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LaneStarts } from '../../packages/postgres/src/record/claim-memory.ts';
import { ClaimMemory } from '../../packages/postgres/src/record/claim-memory.ts';

const LANES = ['l'];
const LOWEST = -Number.MAX_SAFE_INTEGER;
/** How late a run may appear in a lane that seemed empty. */
const LATE_MS = 500;

/** One claim: when it was sent, and what it got. */
interface Read {
  readonly at: number;
  readonly lastSeq?: number | undefined;
  readonly isAll: boolean;
  /** What it took, and the bytes it brought. @default so long that full reads count as slow */
  readonly ms?: number;
  readonly bytes?: number;
}

/** Returns from where on the claim read its lane. */
function read(memory: ClaimMemory, { at, lastSeq, isAll, ms = 10_000, bytes = 300 }: Read): number {
  const starts = memory.startsOf(LANES, at);
  answer(starts, { lastSeq, isAll });
  memory.recordRead(starts, { startedAt: at, endedAt: at + ms, serverNow: 0, rows: ['x'.repeat(bytes)] }, [
    null,
  ]);
  return startOf(starts);
}

function answer(
  { reads: [one] }: LaneStarts,
  got: Pick<Read, 'isAll'> & { lastSeq: number | undefined },
): void {
  one?.mark.record(one, got);
}

function startOf({ reads: [one] }: LaneStarts): number {
  return one?.from ?? Number.NaN;
}

// What another claim has locked, and not taken because its reply was full, is before the last run that this one got.
it.each([
  { ms: 90, bytes: 8_400_000 },
  { ms: 4, bytes: 300 },
])(
  'a lane that seemed empty is read in full by the next claim, although $bytes bytes took $ms ms',
  (took) => {
    const memory = new ClaimMemory();
    read(memory, { at: 10_000, lastSeq: 7, isAll: false, ...took });

    expect(startOf(memory.startsOf(LANES, 10_000 + took.ms + 1))).toBe(LOWEST);
  },
);

it('a full read that was slow for what it brought is not repeated before twenty times its time', () => {
  const memory = new ClaimMemory();
  read(memory, { at: 10_000, lastSeq: 7, isAll: true, ms: 55 });

  expect(startOf(memory.startsOf(LANES, 10_056))).toBe(7);
  expect(startOf(memory.startsOf(LANES, 10_055 + 50 * 20))).toBe(LOWEST);
});

it('a lane that seemed empty is read again from where it had been read half a second before, at the latest', () => {
  const step = fc.record({
    afterMs: fc.nat({ max: 2 * LATE_MS }),
    count: fc.nat({ max: 50 }),
    isFull: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
      const memory = new ClaimMemory();
      let at = 10_000;
      read(memory, { at, isAll: false, ms: 1e9 });
      const ends = [{ at: Number.NEGATIVE_INFINITY, seq: LOWEST }];
      let seq = 0;
      let seemsEmpty = true;
      for (const { afterMs, count, isFull } of steps) {
        const isAll = isFull && count > 0;
        at += afterMs;
        seq += count;
        const start = read(memory, { at, lastSeq: count === 0 ? undefined : seq, isAll });
        const before = ends.filter((end) => end.at <= at - LATE_MS).at(-1)?.seq ?? LOWEST;
        const end = ends.at(-1)?.seq ?? LOWEST;
        if (seemsEmpty) expect(start).toBeLessThanOrEqual(before);
        else expect(start).toBe(end);
        if (count > 0) ends.push({ at, seq });
        seemsEmpty = !isAll;
      }
    }),
  );
});

it('a lane that seems empty is not read from its beginning for long', () => {
  const memory = new ClaimMemory();
  for (const [index, seq] of [10, 20, 30, 40].entries()) {
    read(memory, { at: 10_000 + index * LATE_MS, lastSeq: seq, isAll: index < 3, ms: 1e9 });
  }

  expect(startOf(memory.startsOf(LANES, 12_000))).toBe(20);
});

it('a claim that read again and got all it asked for is followed by one that goes on where it ended', () => {
  const memory = new ClaimMemory();
  read(memory, { at: 10_000, lastSeq: 70, isAll: false });
  read(memory, { at: 10_001, lastSeq: 3, isAll: true });

  expect(startOf(memory.startsOf(LANES, 10_002))).toBe(3);
});

it('what a claim has left out that began before is not passed by a later answer', () => {
  const memory = new ClaimMemory();
  read(memory, { at: 10_000, lastSeq: 70, isAll: true });
  const ahead = memory.startsOf(LANES, 10_001);
  read(memory, { at: 10_002, isAll: false });
  read(memory, { at: 10_003, lastSeq: 3, isAll: true });

  answer(ahead, { lastSeq: 90, isAll: true });

  expect(startOf(memory.startsOf(LANES, 10_004))).toBe(3);
});

it('what two claims have left out that read again at the same time is not passed by the later answer', () => {
  const memory = new ClaimMemory();
  for (const [index, lastSeq] of [50, 60, 70].entries()) {
    read(memory, { at: 10_000 + index * LATE_MS, lastSeq, isAll: index < 2, ms: 1e9 });
  }
  const first = memory.startsOf(LANES, 11_500);
  const second = memory.startsOf(LANES, 12_000);

  answer(first, { lastSeq: 55, isAll: true });
  answer(second, { lastSeq: 90, isAll: true });

  expect([startOf(first), startOf(second)]).toEqual([50, 60]);
  expect(startOf(memory.startsOf(LANES, 12_001))).toBe(55);
});

it('a lane that seemed empty is read again after a pause as far back as before it', () => {
  const memory = new ClaimMemory();
  read(memory, { at: 10_000, lastSeq: 70, isAll: false });
  memory.startsOf(LANES, 10_001);

  expect(startOf(memory.startsOf(LANES, 10_001 + 10 * LATE_MS))).toBeLessThan(70);
});

it('a claim that read again and got only runs that say nothing of the order is followed by one that reads again', () => {
  const memory = new ClaimMemory();
  read(memory, { at: 10_000, lastSeq: 70, isAll: false });
  read(memory, { at: 10_001, isAll: true });

  expect(startOf(memory.startsOf(LANES, 10_002))).toBeLessThan(70);
});

it.each([
  ['went on', true],
  ['read it again', false],
])('a lane that was forgotten while a claim %s is read from its beginning', (_how, isAll) => {
  const memory = new ClaimMemory();
  read(memory, { at: 10_000, lastSeq: 70, isAll });
  const starts = memory.startsOf(LANES, 10_001);

  memory.forgetLanes(LANES);
  answer(starts, { lastSeq: 90, isAll: true });

  expect(startOf(memory.startsOf(LANES, 10_002))).toBe(LOWEST);
});

it('the claims of a worker are forgotten when a thousand others have claimed since it began, as each may have stopped', () => {
  const memory = new ClaimMemory();
  const claimBy = (worker: string): void => {
    const claim = { worker, requestId: 'r', limit: 1, lanes: new Map([['l', 1]]), leaseMs: 1 };
    memory.recordClaim(claim, new Map([[worker, { epoch: 1, laneSeq: 1 }]]), []);
  };
  const isKnown = (worker: string): boolean => {
    const next = newRun({ id: worker, lane: 'l', payload: '', concurrency: undefined });
    return memory.leasesOf([{ id: worker, epoch: 1, event: 'complete', next }])[0] !== undefined;
  };

  for (let worker = 0; worker < 1_000; worker += 1) claimBy(`w${worker}`);
  const before = [isKnown('w0'), isKnown('w1')];
  claimBy('w1000');

  expect(before).toEqual([true, true]);
  expect([isKnown('w0'), isKnown('w1'), isKnown('w1000')]).toEqual([false, true, true]);
});
