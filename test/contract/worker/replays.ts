import type { PolicyInput } from '@retry/core';
import { decide, definePolicy, NonRetryableError } from '@retry/core';
import type { Run } from '@retry/core/broker';
import { network } from '@retry/core/errors';
import { replay } from '@retry/core/failures';
import { defineTask } from '@retry/worker';
import { expect, it } from 'vitest';
import { seededRandom } from '../../support/seeded-random.ts';
import type { WorkerScene } from './worker-scene.ts';

const RUNS = 200;

const ERRORS: readonly (() => unknown)[] = [
  () => new Error('boom'),
  () => new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNRESET' }) }),
  () => Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
  () => Object.assign(new Error('duplicate'), { code: 23_505 }),
  () => Object.assign(new Error('HTTP 503'), { name: 'HttpError', status: 503 }),
  () => Object.assign(new Error('HTTP 404'), { name: 'HttpError', status: 404 }),
  () => Object.assign(new Error('HTTP 429'), { status: 429, headers: { 'retry-after-ms': '7' } }),
  () => Object.assign(new Error('HTTP 429'), { status: 429, headers: { 'retry-after': '100' } }),
  () => Object.assign(new Error('HTTP 500'), { status: 500, headers: { 'x-should-retry': 'false' } }),
  () => new NonRetryableError('no'),
  () => 'thrown text',
];

const BACKOFFS = [
  { type: 'constant', base: 3 },
  { type: 'exponential', base: 1 },
  { type: 'decorrelated', base: 2 },
  { type: 'list', delays: [1, 5] },
] as const satisfies readonly PolicyInput['backoff'][];

const RULES = [
  {},
  { retryOn: [...network, { status: [429, 503] }] },
  { stopOn: [{ status: 404 }, { code: 23_505 }] },
  { retryOn: [{ message: 'boom' }, { message: 'HTTP' }], retryAfter: { mode: 'ignore' } },
  { retryOn: [{ cause: { code: 'ECONNRESET' } }, { code: 'ECONNRESET' }, { message: 'boom' }] },
  { retryOn: 'nothing' },
] as const satisfies readonly PolicyInput[];

/** What a broker has stored of failed attempts is all that a replay needs. */
export function describeReplays(scene: WorkerScene): void {
  it(`replays ${RUNS} stored runs as decide decides about what was thrown`, async () => {
    const random = seededRandom(18);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item; // none is empty
    const plans = Array.from({ length: RUNS }, (_, index) => ({
      policy: {
        // A server's delay of 100 s is too long, either by itself or for the total time.
        ...(index % 3 === 0
          ? { totalTimeout: '50s', retryAfter: { max: '1h' } }
          : { retryAfter: { max: '1s' } }),
        ...pick(RULES),
        maxAttempts: 1 + Math.floor(random() * 5),
        backoff: pick(BACKOFFS),
        jitter: pick(['none', 'full', 'equal'] as const),
        maxDelay: 9,
      } satisfies PolicyInput,
      errors: Array.from({ length: 5 }, () => pick(ERRORS)()),
    }));
    const task = defineTask({
      name: 'failing',
      run: (index: number, { attempt }) => {
        throw plans[index]?.errors[attempt - 1];
      },
    });
    const submitted = await Promise.all(
      plans.map(({ policy }, index) => scene.queue.submit(task, index, { retry: policy })),
    );
    await scene.startWorker({ tasks: [task], random: () => 0.3, name: 'failing worker', concurrency: 20 });

    const reasons = new Set<string | undefined>();
    for (const [index, { policy: input, errors }] of plans.entries()) {
      const run = await scene.reach(submitted[index]?.id ?? '', 'failed');
      const policy = definePolicy(input);

      const replayed = replay(policy, run, { random: () => 0.3 });

      const { decisions, missing } = replayed;
      expect({ decisions, missing }, JSON.stringify(run.errors)).toEqual({
        decisions: byHand(policy, run, errors),
        missing: [],
      });
      expect(run.errors.map(({ reason }) => reason)).toEqual(
        decisions.map((decision) => (decision.type === 'fail' ? decision.reason : 'retried')),
      );
      reasons.add(run.errors.at(-1)?.reason);
    }
    expect([...reasons].sort()).toEqual(
      ['exhausted', 'retry-after', 'stopped', 'total-timeout', 'unexpected'].sort(),
    );
  });
}

/** Asks `decide` about the thrown errors themselves. */
function byHand(policy: ReturnType<typeof definePolicy>, run: Run, thrown: readonly unknown[]) {
  const [first] = run.errors;
  const startAt = (first?.at ?? 0) - (first?.durationMs ?? 0);
  const decisions = [];
  let [now, previousDelayMs] = [startAt, undefined as number | undefined];
  for (const [done, { durationMs = 0 }] of run.errors.entries()) {
    now += durationMs;
    const decision = decide(
      policy,
      { failures: done + 1, stalls: 0, previousDelayMs },
      { error: thrown[done] },
      {
        ...{ now, random: () => 0.3, attemptMs: durationMs, id: run.id, lane: run.lane },
        startedAt: done === 0 ? startAt : (run.firstStartedAt ?? startAt),
      },
    );
    decisions.push(decision);
    if (decision.type === 'fail') break;
    now += decision.delayMs;
    previousDelayMs = decision.delayMs;
  }
  return decisions;
}
