import { deepStrictEqual } from 'node:assert';
import type { Broker, ClaimedRun, ListQuery } from '@retry/core/broker';
import { cancelRuns, discardRuns } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { settlementOf } from './settle.ts';

const LANES = ['a', 'l'] as const;

/** What happens between two pages. */
const moves = fc.oneof(
  fc.record({
    type: fc.constant('claim' as const),
    lane: fc.constantFrom(...LANES),
    count: fc.integer({ min: 1, max: 6 }),
  }),
  fc.record({
    type: fc.constant('settle' as const),
    event: fc.constantFrom('complete', 'retry', 'release'),
    count: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ type: fc.constant('cancel' as const), index: fc.nat(40), discards: fc.boolean() }),
  fc.record({
    type: fc.constant('submit' as const),
    lane: fc.constantFrom(...LANES),
    isKeyed: fc.boolean(),
    isFair: fc.boolean(),
  }),
);

type Move = typeof moves extends fc.Arbitrary<infer One> ? One : never;

const walks = fc.record({
  runs: fc.array(
    fc.record({
      lane: fc.constantFrom(...LANES),
      isKeyed: fc.constantFrom(true, false, false),
      isFair: fc.constantFrom(true, false, false),
    }),
    { minLength: 1, maxLength: 30 },
  ),
  limit: fc.integer({ min: 1, max: 5 }),
  lane: fc.option(fc.constantFrom(...LANES), { nil: undefined }),
  turns: fc.array(fc.array(moves, { maxLength: 5 }), { maxLength: 12 }),
});

type Walk = typeof walks extends fc.Arbitrary<infer One> ? One : never;

/**
 * Lists waiting runs page by page while they are claimed, settled, cancelled and submitted, and asserts that each run that stays
 * is on one page; one that may have been parked meanwhile, or have got the turn of its fairness key, on one at least.
 */
export async function assertWalks(open: () => Promise<Broker>, numRuns?: number): Promise<void> {
  const property = fc.asyncProperty(walks, async (walk) => {
    const broker = await open();
    try {
      await assertWalk(broker, walk);
    } finally {
      await broker.close();
    }
  });
  const examples = EXAMPLES.map((walk): [Walk] => [walk]);
  await fc.assert(property, { examples, ...(numRuns !== undefined && { numRuns }) });
}

const keyed = (lane: Walk['lane'] & string) => ({ lane, isKeyed: true, isFair: false });
const plain = (lane: Walk['lane'] & string) => ({ lane, isKeyed: false, isFair: false });

/** Walks that failed once, and walks like them. */
const EXAMPLES: readonly Walk[] = [
  // The last run that was read is in its lane again, behind one that was parked, when it is cancelled and forgotten.
  {
    runs: [keyed('l'), keyed('l'), keyed('l')],
    ...{ limit: 1, lane: 'l' },
    turns: [
      [
        { type: 'claim', lane: 'l', count: 3 },
        { type: 'settle', event: 'retry', count: 1 },
        { type: 'cancel', index: 0, discards: true },
      ],
    ],
  },
  // The same, behind others that have come since.
  {
    runs: [plain('l'), keyed('l'), keyed('l'), keyed('l'), plain('l')],
    ...{ limit: 2, lane: 'l' },
    turns: [
      [
        { type: 'claim', lane: 'l', count: 6 },
        { type: 'settle', event: 'retry', count: 2 },
        { type: 'cancel', index: 1, discards: true },
      ],
    ],
  },
  // The last ones that were read are forgotten where they are.
  {
    runs: Array.from({ length: 12 }, () => plain('l')),
    ...{ limit: 4, lane: undefined },
    turns: [
      [],
      [
        { type: 'cancel', index: 7, discards: true },
        { type: 'cancel', index: 6, discards: true },
        { type: 'claim', lane: 'l', count: 2 },
      ],
    ],
  },
];

async function assertWalk(broker: Broker, { runs, limit, lane, turns }: Walk): Promise<void> {
  const moved = new Set<string>();
  const actor = createActor(broker, moved);
  const submitted = runs.map((run, index) => ({ ...run, id: `run-${String(index).padStart(2, '0')}` }));
  await broker.submit(submitted.map((run) => submissionOf(run)));
  const seen: string[] = [];
  const query: ListQuery = { state: 'submitted', limit, ...(lane !== undefined && { lane }) };
  for (let turn = 0, after: string | undefined; ; turn += 1) {
    const page = await broker.list(after === undefined ? query : { ...query, after });
    seen.push(...page.runs.map(({ id }) => id));
    if (page.next === undefined) break;
    for (const move of turns[turn] ?? []) await actor(move);
    after = page.next;
  }

  const stayed = submitted.filter((run) => !moved.has(run.id) && (lane === undefined || run.lane === lane));
  const countOf = (id: string): number => seen.filter((one) => one === id).length;
  deepStrictEqual(
    stayed
      .filter(({ id, isKeyed, isFair }) => (isKeyed || isFair ? countOf(id) === 0 : countOf(id) !== 1))
      .map(({ id }) => id),
    [],
    `of the runs that stayed, these are not on one page of ${seen}`,
  );
}

function submissionOf({
  id,
  lane,
  isKeyed,
  isFair,
}: {
  readonly id: string;
  readonly lane: string;
  readonly isKeyed: boolean;
  readonly isFair: boolean;
}) {
  const concurrency = { key: 'k', limit: 2, whenFull: 'wait' } as const;
  return { id, lane, payload: '1', ...(isKeyed && { concurrency }), ...(isFair && { fairnessKey: 'f' }) };
}

/** Executes moves, and notes the runs that left their state. */
function createActor(broker: Broker, moved: Set<string>): (move: Move) => Promise<void> {
  let held: ClaimedRun[] = [];
  let calls = 0;
  return async (move) => {
    calls += 1;
    if (move.type === 'submit') await broker.submit([submissionOf({ ...move, id: `new-${calls}` })]);
    if (move.type === 'claim') {
      const lanes = new Map([[move.lane, 9]]);
      const claim = { worker: 'w', requestId: `${calls}`, limit: move.count, lanes, leaseMs: 60_000 };
      const { claimed } = await broker.exchange({ claim });
      for (const { run } of claimed) moved.add(run.id);
      held.push(...claimed);
    }
    if (move.type === 'settle') {
      const { now: at } = await broker.exchange({});
      const events = {
        complete: { type: 'complete', at },
        retry: { type: 'retry', at, runAt: at },
        release: { type: 'release', at },
      } as const;
      const settle = held.slice(0, move.count).map(({ run }) => settlementOf(run, events[move.event]));
      held = held.slice(move.count);
      await broker.exchange({ settle });
    }
    if (move.type === 'cancel') {
      const id = `run-${String(move.index).padStart(2, '0')}`;
      await cancelRuns(broker, [id]);
      moved.add(id);
      if (move.discards) await discardRuns(broker, [id]);
    }
  };
}
