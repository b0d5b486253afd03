import type { Broker, ClaimedRun } from '@retry/core/broker';
import {
  cancelRuns,
  discardRuns,
  endRuns,
  holdLanes,
  redriveRuns,
  rescheduleRuns,
  resumeLanes,
} from '@retry/core/broker/kit';
import { expect, it } from 'vitest';
import { assertBalanced } from '../support/broker-checked.ts';
import { openRedisBroker } from '../support/redis-harness.ts';
import { settlementOf } from '../support/settle.ts';
import { describeWithUser } from './limited-user.ts';

/** All commands by which the scripts write. */
const WRITES = [
  ...[
    'hdel',
    'hincrby',
    'hset',
    'hsetnx',
    'lpop',
    'lrem',
    'ltrim',
    'publish',
    'rpush',
    'sadd',
    'set',
    'srem',
  ],
  ...['zadd', 'zrem'],
];
const LANES = ['keyed', 'late', 'now', 'other'];
const LONG_MS = 60_000;
/** Runs in lists, on the schedule and parked, and one that is started. */
const WAITING = ['now-1', 'late', 'later', 'keyed-2', 'keyed-3', 'again'];

/** A broker with runs in every state. */
interface Scene {
  readonly broker: Broker;
  readonly started: ClaimedRun[];
  readonly claim: (lanes?: readonly string[]) => Promise<readonly ClaimedRun[]>;
}

const settle = async (
  { broker, started }: Scene,
  eventOf: (at: number) => Parameters<typeof settlementOf>[1],
) => {
  const { now } = await broker.exchange({});
  await broker.exchange({ settle: started.map(({ run }) => settlementOf(run, eventOf(now))) });
};

/**
 * Calls that take the rare ways of the scripts, which check all rights first. The usual ways do not, for speed: the order of their
 * writes loses no run (half-way.test.ts), but may leave one to the end of its lease.
 */
const VERBS: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  cancel: ({ broker }) => cancelRuns(broker, WAITING),
  // As a worker does it: the same claim again, if it was refused.
  claim: async ({ started, claim }) => started.push(...(await claim())),
  // It is for the lane of a run that is started, one that is at its front, one that is due, and the list.
  'claim by a hold that probes': async ({ broker, started, claim }) => {
    await holdLanes(
      broker,
      LANES.map((lane) => ({ lane, source: 'circuit-breaker', forMs: 1, probeMs: 2 })),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    started.push(...(await claim()));
  },
  collect: ({ broker }) => broker.get(['kept'], { collect: true }),
  discard: ({ broker }) => discardRuns(broker, ['failed', 'completed', 'kept']),
  'end as completed': ({ broker }) =>
    endRuns(
      broker,
      WAITING.map((id) => ({ id, as: 'completed', result: `"${'x'.repeat(5_000)}"` })),
    ),
  'end as failed': ({ broker }) =>
    endRuns(
      broker,
      WAITING.map((id) => ({ id, as: 'failed', error: { name: 'E', message: 'no', stack: 'at x' } })),
    ),
  hold: ({ broker }) => holdLanes(broker, [{ source: 'operator', forMs: 5 }]),
  'hold and resume': async ({ broker }) => {
    await holdLanes(broker, [{ source: 'operator' }]);
    await resumeLanes(broker, [{}]);
  },
  'reschedule for later': ({ broker }) =>
    rescheduleRuns(
      broker,
      WAITING.map((id) => ({ id, delayMs: 5 })),
    ),
  'reschedule for now': ({ broker }) =>
    rescheduleRuns(
      broker,
      WAITING.map((id) => ({ id })),
    ),
  redrive: ({ broker }) => redriveRuns(broker, ['failed'], { keepAttempts: false }),
  reserve: ({ broker }) =>
    broker.reserve(['a', 'b'].map((key) => ({ key, limit: 5, windowMs: LONG_MS, count: 1 }))),
  complete: (scene) => settle(scene, (at) => ({ type: 'complete', at })),
  fail: (scene) => settle(scene, (at) => ({ type: 'fail', at })),
  'fail and submit': async ({ broker, started }) => {
    const { now: at } = await broker.exchange({});
    await broker.exchange({
      settle: started.map(({ run }, index) => ({
        ...settlementOf(run, { type: 'fail', at }),
        submit: { id: `{${run.id}}next`, lane: 'now', payload: '1', delayMs: index },
      })),
    });
    for (const { run } of started) {
      const [dead, next] = await broker.get([run.id, `{${run.id}}next`]);
      if (dead?.state === 'failed' && next === undefined)
        throw new Error(`nothing is submitted for ${run.id}`);
    }
  },
  release: (scene) => settle(scene, (at) => ({ type: 'release', at })),
  'retry at once': (scene) => settle(scene, (at) => ({ type: 'retry', at, runAt: at })),
  'retry later': (scene) => settle(scene, (at) => ({ type: 'retry', at, runAt: at + 5 })),
  submit: ({ broker }) => broker.submit([{ id: 'new', lane: 'now', payload: '1' }]),
  // Of a run in a list, one on the schedule, and one behind a full concurrency key.
  'submit and replace': async ({ broker }) => {
    const unique = { key: 'u', until: 'ended', onConflict: 'replace' } as const;
    const concurrency = { key: 'k', limit: 1, whenFull: 'wait' } as const;
    await broker.submit([
      { id: '{u}1', lane: 'now', payload: '1', unique },
      { id: '{u}2', lane: 'late', payload: '1', unique, delayMs: 5 },
      { id: '{u}3', lane: 'keyed', payload: '1', unique, concurrency },
      { id: '{u}4', lane: 'now', payload: '1', unique },
    ]);
  },
  'submit to two lanes': ({ broker }) =>
    broker.submit(LANES.slice(0, 2).map((lane) => ({ id: `new-${lane}`, lane, payload: '1', delayMs: 1 }))),
};

describeWithUser('a verb that Redis refuses for the lack of a right', (user) => {
  /** Every run that is claimed, until nothing is left to start; all of them are completed. */
  async function drain({ broker, claim, started }: Scene): Promise<readonly string[]> {
    const starts = started.map(({ run }) => `${run.id} ${run.epoch}`);
    let open = [...started];
    for (let rounds = 0; rounds < 20; rounds += 1) {
      const { now: at } = await broker.exchange({});
      await broker.exchange({
        settle: open.map(({ run }) => settlementOf(run, { type: 'complete', at })),
      });
      await new Promise((resolve) => setTimeout(resolve, 6));
      open = [...(await claim())];
      starts.push(...open.map(({ run }) => `${run.id} ${run.epoch}`));
    }
    return starts;
  }

  async function openScene(name: string): Promise<Scene> {
    const broker = await openRedisBroker({ url: user().url, prefix: name });
    let requests = 0;
    const claim = async (lanes: readonly string[] = LANES): Promise<readonly ClaimedRun[]> => {
      const requestId = `r${++requests}`;
      const asked = { worker: 'w', requestId, limit: 100, leaseMs: LONG_MS };
      return (
        await broker.exchange({ claim: { ...asked, lanes: new Map(lanes.map((lane) => [lane, 100])) } })
      ).claimed;
    };
    const concurrency = { key: 'k', limit: 1, whenFull: 'wait' } as const;
    const end = async (type: 'complete' | 'fail', id: string, keepResultMs?: number) => {
      await broker.submit([
        { id, lane: 'now', payload: '1', ...(keepResultMs !== undefined && { keepResultMs }) },
      ]);
      const { now: at } = await broker.exchange({});
      const [claimed] = await claim(['now']);
      if (claimed === undefined) throw new Error('nothing was claimed');
      await broker.exchange({ settle: [settlementOf(claimed.run, { type, at })] });
    };
    await end('fail', 'failed');
    await end('complete', 'completed');
    await end('complete', 'kept', LONG_MS);
    // One started run of each kind: for the first time, again, and with a slot, behind which others are parked.
    await broker.submit([{ id: 'again', lane: 'other', payload: '1', delayMs: 1 }]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await broker.submit(
      ['keyed-1', 'keyed-2', 'keyed-3'].map((id) => ({ id, lane: 'keyed', payload: '1', concurrency })),
    );
    await broker.submit([{ id: 'first', lane: 'now', payload: '1' }]);
    const started = [...(await claim())];
    expect(started.map(({ run }) => run.id).sort()).toEqual(['again', 'first', 'keyed-1']);
    await broker.submit(['now-1', 'now-2'].map((id) => ({ id, lane: 'now', payload: '1' })));
    await broker.submit([{ id: 'late', lane: 'late', payload: '1', delayMs: 1 }]);
    await broker.submit([{ id: 'later', lane: 'late', payload: '1', delayMs: 50 }]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { broker, started, claim };
  }

  /** What is wrong with a scene after all. */
  async function problemsOf(name: string, scene: Scene): Promise<readonly string[]> {
    const { broker } = scene;
    const problems: string[] = [];
    const starts = await drain(scene);
    const open = [];
    for (const state of ['submitted', 'scheduled', 'started'] as const)
      open.push(...(await broker.list({ state, limit: 100 })).runs);
    if (open.length > 0) problems.push(`${name}: left ${open.map(({ id, state }) => `${id} ${state}`)}`);
    if (new Set(starts).size < starts.length)
      problems.push(`${name}: twice ${starts.filter((one, at) => starts.indexOf(one) !== at)}`);
    const audit = await broker.audit();
    try {
      assertBalanced(audit);
    } catch {
      problems.push(`${name}: ${JSON.stringify(audit)}`);
    }
    await broker.close();
    return problems;
  }

  it.each(WRITES)('loses no run, and starts none twice: %s', async (command) => {
    const scenes = await Promise.all(
      Object.entries(VERBS).map(async ([name, verb]) => ({ name, verb, scene: await openScene(name) })),
    );
    await user().change(`-${command}`);
    await Promise.all(scenes.map(({ verb, scene }) => verb(scene).catch(() => undefined)));
    await user().change(`+${command}`);
    await Promise.all(scenes.map(({ verb, scene }) => verb(scene)));

    const problems = await Promise.all(scenes.map(({ name, scene }) => problemsOf(name, scene)));

    expect(problems.flat()).toEqual([]);
  });
});
