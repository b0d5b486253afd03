import { expect, it } from 'vitest';
import { ClaimMemory } from '../../packages/postgres/src/record/claim-memory.ts';

const LANES = ['l'];
const LOWEST = -Number.MAX_SAFE_INTEGER;

/** A memory after a full read that took so long and brought so much, and left its lane empty as far as it could see. */
function memoryAfter(took: { readonly ms: number; readonly bytes: number }): ClaimMemory {
  const memory = new ClaimMemory();
  const starts = memory.startsOf(LANES, 10_000);
  memory.recordLane('l', { lastSeq: 7, isAll: false });
  memory.recordRead(
    starts,
    { startedAt: 10_000, endedAt: 10_000 + took.ms, serverNow: 0, bytes: took.bytes },
    [null],
  );
  return memory;
}

// What another claim has locked, and not taken because its reply was full, is before the last run that this one got.
it.each([
  { ms: 90, bytes: 8_400_000 },
  { ms: 4, bytes: 300 },
])(
  'a lane that seemed empty is read in full by the next claim, although $bytes bytes took $ms ms',
  (took) => {
    expect(memoryAfter(took).startsOf(LANES, 10_000 + took.ms + 1).lowSeqs).toEqual([LOWEST]);
  },
);

it('a full read that was slow for what it brought is not repeated before twenty times its time', () => {
  const memory = memoryAfter({ ms: 55, bytes: 300 });

  expect(memory.startsOf(LANES, 10_056).lowSeqs).toEqual([7]);
  expect(memory.startsOf(LANES, 10_055 + 50 * 20).lowSeqs).toEqual([LOWEST]);
});
