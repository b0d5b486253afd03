import type { ClaimedRun } from '@retry/core/broker';
import { newRun } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plan } from '../../../packages/worker/src/engine/plan/plan.ts';
import type { SharedClaim } from '../../../packages/worker/src/engine/plan/retry-share.ts';
import { isRetry, RetryShares } from '../../../packages/worker/src/engine/plan/retry-share.ts';
import { createWorkerState } from '../../../packages/worker/src/engine/plan/worker-state.ts';

/** One claim: its limit, what is submitted before it is answered, and whether the next one leaves before that. */
interface Step {
  readonly limit: number;
  readonly submitted: number;
  readonly due: number;
  readonly isOverlapped: boolean;
}

const aShare = fc.oneof(
  fc.constantFrom(0.1, 0.2, 0.5, 0.01),
  fc.double({ min: 0.001, max: 0.999, noNaN: true }),
);

const steps = fc.array(
  fc.record({
    limit: fc.integer({ min: 1, max: 40 }),
    submitted: fc.integer({ min: 0, max: 60 }),
    due: fc.integer({ min: 0, max: 60 }),
    isOverlapped: fc.boolean(),
  }),
  { minLength: 1, maxLength: 60 },
);

const TASK = defineTask({ name: 'shared', run: () => {} });
const { lane } = TASK;

function runOf(index: number, failures: number): ClaimedRun {
  return { run: { ...newRun({ id: `${index}`, lane, payload: '1' }), failures } } as unknown as ClaimedRun; // read are lane, failures and stalls
}

/** One start, and whether new runs waited when it was claimed. */
interface Start {
  readonly id: string;
  readonly isRetry: boolean;
  readonly hasWaiting: boolean;
}

/** Plays claims against a lane as brokers keep it. New runs never end where `isEndless`. */
function play(retryShare: number, all: readonly Step[], { isEndless = false } = {}): readonly Start[] {
  const shares = new RetryShares([defineTask({ name: 'shared', retryShare, run: () => {} })]);
  const waiting: ClaimedRun[] = [];
  const due: ClaimedRun[] = [];
  const starts: Start[] = [];
  const pending: SharedClaim[] = [];
  let ids = 0;
  const answer = (claim: SharedClaim): void => {
    if (isEndless) while (waiting.length <= claim.limit) waiting.push(runOf(ids++, 0));
    const most = Math.max(claim.dueLimits?.get(lane) ?? Infinity, claim.limit - waiting.length);
    const retries = due.splice(0, Math.min(most, claim.limit));
    const claimed = [...retries, ...waiting.splice(0, claim.limit - retries.length)];
    shares.noteAnswered(claim);
    const ordered = shares.inOrder(claim, claimed);
    for (const { run } of ordered)
      starts.push({ id: run.id, isRetry: isRetry(run), hasWaiting: waiting.length > 0 });
  };
  for (const { limit, submitted, due: retries, isOverlapped } of all) {
    for (let count = 0; count < submitted; count += 1) waiting.push(runOf(ids++, 0));
    for (let count = 0; count < retries; count += 1) due.push(runOf(ids++, 1));
    const lanes = new Map([[lane, limit]]);
    const claim: SharedClaim = {
      limit,
      lanes,
      dueLimits: shares.dueLimits({ lanes, limit }),
    };
    shares.noteSent(claim);
    pending.push(claim);
    if (isOverlapped && pending.length === 1) continue;
    for (const sent of pending.splice(0)) answer(sent);
  }
  for (const sent of pending) answer(sent);
  return starts;
}

/** The most retries of any window of starts over what the share allows for it. */
function mostOver(starts: readonly Start[], share: number): number {
  // The largest sum of a stretch, where a retry counts 1 - share, and any other start -share.
  let [sum, most] = [0, 0];
  for (const start of starts) {
    sum = Math.max(sum, 0) + (start.isRetry ? 1 - share : -share);
    most = Math.max(most, sum);
  }
  return most;
}

/** Starts in a row that were claimed while new runs waited. */
function stretchesOf(starts: readonly Start[]): readonly (readonly Start[])[] {
  const stretches: Start[][] = [[]];
  for (const start of starts) {
    if (start.hasWaiting) stretches.at(-1)?.push(start);
    else stretches.push([]);
  }
  return stretches;
}

describe('the share of retries in the starts of a worker', () => {
  it('is at most what the task says in any window, plus one retry, while new runs wait', () => {
    fc.assert(
      fc.property(aShare, steps, (share, all) => {
        for (const stretch of stretchesOf(play(share, all)))
          expect(mostOver(stretch, share)).toBeLessThanOrEqual(1 + 1e-6);
      }),
    );
  });

  it('is what the task says, but for one retry, where more are due all the time', () => {
    fc.assert(
      fc.property(aShare, steps, (share, all) => {
        const starts = play(
          share,
          all.map((step) => ({ ...step, due: step.limit * 2 })),
          { isEndless: true },
        );

        const retries = starts.filter((start) => start.isRetry).length;
        expect(retries).toBeGreaterThanOrEqual(Math.floor(starts.length * share) - 1);
      }),
    );
  });

  it('is all where nothing else waits', () => {
    fc.assert(
      fc.property(aShare, steps, (share, all) => {
        const onlyDue = all.map((step) => ({ ...step, submitted: 0, due: step.limit }));

        const starts = play(share, onlyDue);

        expect(starts.length).toBe(all.reduce((sum, { limit }) => sum + limit, 0));
      }),
    );
  });

  it('is not paid back after nothing else has waited', () => {
    fc.assert(
      fc.property(aShare, fc.integer({ min: 1, max: 30 }), (share, claims) => {
        const alone = { limit: 20, submitted: 0, due: 20, isOverlapped: false };
        const many = Math.ceil(2 / share / 20);
        const both = { limit: 20, submitted: 0, due: 20, isOverlapped: false };
        const before = play(share, Array<Step>(claims).fill(alone));

        const starts = play(share, [
          ...Array<Step>(claims).fill(alone),
          { ...both, submitted: 20 * (many + 1) },
          ...Array<Step>(many).fill(both),
        ]).slice(before.length);

        expect(starts.some((start) => start.isRetry)).toBe(true);
      }),
    );
  });

  it('keeps the order of new runs, and that of retries, and starts each claimed run once', () => {
    fc.assert(
      fc.property(aShare, steps, (share, all) => {
        const starts = play(share, all);

        for (const kind of [true, false]) {
          const ids = starts.filter((start) => start.isRetry === kind).map(({ id }) => Number(id));
          expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
        }
      }),
    );
  });
});

describe('a worker without tasks that have a share', () => {
  it.each([undefined, 1])('plans as ever and limits nothing: %s', (retryShare) => {
    const task = defineTask({ name: 'plain', retryShare, run: () => {} });
    const tasks = new Map([[task.lane, task]]);
    const settings = { concurrency: 10, prefetch: 'auto', settleMs: 5, pollMs: 1_000 } as const;
    const state = createWorkerState(
      { ...settings, tasks, random: () => 0.5, broker: createMemoryBroker() },
      () => 0,
    );

    expect(state.retryShares).toBeUndefined();
    expect(plan(state, 0).claim).toEqual({
      limit: 10,
      lanes: new Map([['plain@1', 10]]),
      asksEmpty: true,
      isOfAll: true,
    });
  });
});
