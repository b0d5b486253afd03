import { deepStrictEqual, ok } from 'node:assert';
import type { Broker, ClaimedRun } from '@retry/core/broker';
import { cancelRuns } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { settlementOf } from './settle.ts';

/** The keys of a world; a run with `plain` has none. */
const KEYS = ['s', 't', 'u', 'v'] as const;

const steps = fc.oneof(
  fc.record({
    type: fc.constant('submit' as const),
    key: fc.constantFrom(...KEYS, 't', 't', 'plain'),
    count: fc.integer({ min: 1, max: 8 }),
  }),
  fc.record({ type: fc.constant('claim' as const), limit: fc.integer({ min: 1, max: 7 }) }),
  fc.record({
    type: fc.constant('settle' as const),
    event: fc.constantFrom('complete', 'retry', 'release'),
    index: fc.nat(9),
  }),
  fc.record({ type: fc.constant('cancel' as const), index: fc.nat(40) }),
);

type Step = typeof steps extends fc.Arbitrary<infer One> ? One : never;

/** A run that waits, as the rule of turns sees it. */
interface Waiting {
  readonly key: string;
  /** It came to the front of the lane: without a turn. */
  readonly isFirst: boolean;
  /** Those of its key that came by turn before it and wait. */
  readonly ahead: Set<string>;
  /** It is the so-manieth of its key, counted from 1. */
  readonly rank: number;
  /** How many runs had come to the lane when it got its turn. */
  turnAt: number | undefined;
  /** How many runs had come to the lane when it came. */
  readonly cameAt: number;
  /** How many runs of each other key came by turn and have started since it came. */
  readonly started: Map<string, number>;
}

/**
 * Plays random worlds of one lane, and asserts what is promised of turns: before the run that is the j-th of its key when it comes, at most j
 * runs of each other key start that came by turn, and of its own key those that came before it; of runs without a key only those that came
 * before its turn. Every run starts, or was cancelled.
 */
export async function assertFairWorlds(open: () => Promise<Broker>, numRuns?: number): Promise<void> {
  const worlds = fc.array(steps, { minLength: 1, maxLength: 40, size: 'max' });
  const property = fc.asyncProperty(worlds, async (world) => {
    const broker = await open();
    try {
      await assertFairWorld(broker, world);
    } finally {
      await broker.close();
    }
  });
  await fc.assert(property, numRuns === undefined ? {} : { numRuns });
}

async function assertFairWorld(broker: Broker, world: readonly Step[]): Promise<void> {
  const lane = createLane();
  const play = createPlayer(broker, lane);
  for (const step of world) await play(step);
  const rest = [...lane.waiting.keys()];
  await play({ type: 'claim', limit: rest.length + 1 });
  deepStrictEqual([...lane.waiting.keys()], [], 'all runs that wait start when there is room for them');
}

/** What has come to the lane, and what has started since. */
function createLane() {
  const waiting = new Map<string, Waiting>();
  let came = 0;

  function come(id: string, key: string, isFirst: boolean): void {
    const isByTurn = key !== 'plain' && !isFirst;
    const sameTurn = [...waiting].filter(([, run]) => run.key === key && !run.isFirst);
    const ahead = new Set(isByTurn ? sameTurn.map(([other]) => other) : []);
    came += 1;
    const rank = ahead.size + 1;
    const turnAt = ahead.size === 0 ? came : undefined;
    waiting.set(id, { key, isFirst, ahead, rank, turnAt, cameAt: came, started: new Map() });
  }

  function leave(id: string): Waiting | undefined {
    const run = waiting.get(id);
    waiting.delete(id);
    for (const other of waiting.values()) {
      if (!other.ahead.delete(id) || other.ahead.size > 0) continue;
      other.turnAt = came;
    }
    return run;
  }

  function start(id: string): void {
    const run = waiting.get(id);
    ok(run !== undefined, `${id} has started, and did not wait`);
    deepStrictEqual([...run.ahead], [], `${id} has started before others of its key`);
    for (const [other, seen] of waiting) if (other !== id) assertPassed(other, seen, { ...run, id });
    leave(id);
  }

  return { waiting, come, leave, start };
}

/** Asserts that one run may start before another. */
function assertPassed(other: string, seen: Waiting, run: Waiting & { readonly id: string }): void {
  if (seen.key === 'plain' || seen.isFirst || run.isFirst) return;
  if (run.key === 'plain') {
    const isBefore = seen.turnAt === undefined || run.cameAt <= seen.turnAt;
    ok(isBefore, `${run.id} has no key, came after the turn of ${other}, and starts before it`);
    return;
  }
  if (run.key === seen.key) return;
  const count = (seen.started.get(run.key) ?? 0) + 1;
  seen.started.set(run.key, count);
  ok(count <= seen.rank, `${count} runs of ${run.key} start before ${other}, the ${seen.rank}. of its key`);
}

/** Executes the steps, and notes what comes to the lane and what leaves it. */
function createPlayer(broker: Broker, lane: ReturnType<typeof createLane>): (step: Step) => Promise<void> {
  const keys = new Map<string, string>();
  let held: ClaimedRun[] = [];
  let calls = 0;

  async function submit(key: string, count: number): Promise<void> {
    const ids = Array.from({ length: count }, (_, index) => `${key}-${calls}-${index}`);
    const fairness = key === 'plain' ? {} : { fairnessKey: key };
    await broker.submit(ids.map((id) => ({ id, lane: 'l', payload: '1', ...fairness })));
    for (const id of ids) keys.set(id, key);
    for (const id of ids) lane.come(id, key, false);
  }

  async function claim(limit: number): Promise<void> {
    const lanes = new Map([['l', limit]]);
    const { claimed } = await broker.exchange({
      claim: { worker: 'w', requestId: `${calls}`, limit, lanes, leaseMs: 60_000 },
    });
    const room = Math.min(limit, lane.waiting.size);
    deepStrictEqual(claimed.length, room, 'a claim takes as many runs as wait and have room');
    for (const { run } of claimed) lane.start(run.id);
    held.push(...claimed);
  }

  async function settle(event: 'complete' | 'retry' | 'release', index: number): Promise<void> {
    const claimed = held[index % Math.max(1, held.length)];
    if (claimed === undefined) return;
    const { id } = claimed.run;
    held = held.filter((other) => other !== claimed);
    const { now: at } = await broker.exchange({});
    const happened = event === 'retry' ? { type: event, at, runAt: at } : { type: event, at };
    await broker.exchange({ settle: [settlementOf(claimed.run, happened)] });
    if (event !== 'complete') lane.come(id, keys.get(id) ?? 'plain', event === 'release');
  }

  async function cancel(index: number): Promise<void> {
    const ids = [...lane.waiting.keys()];
    const id = ids[index % Math.max(1, ids.length)];
    if (id === undefined) return;
    deepStrictEqual(await cancelRuns(broker, [id]), ['cancelled']);
    lane.leave(id);
  }

  return async (step) => {
    calls += 1;
    if (step.type === 'submit') await submit(step.key, step.count);
    if (step.type === 'claim') await claim(step.limit);
    if (step.type === 'settle') await settle(step.event, step.index);
    if (step.type === 'cancel') await cancel(step.index);
  };
}
