import { setTimeout as rest } from 'node:timers/promises';
import type { Broker, WorkerFacts } from '@retry/core/broker';
import type { Finding, Health, HealthOptions, Queue } from '@retry/worker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CaseScene } from '../../packages/broker-contract/src/case-scene.ts';
import { createSteps } from '../../packages/broker-contract/src/case-scene.ts';
import { die } from '../../packages/broker-contract/src/groups/grouped.ts';

/** A broker without runs. */
export interface HealthHarness {
  readonly broker: Broker;
  /** Makes the audit of the broker unbalanced by 5. */
  readonly unbalance: () => Promise<Broker>;
  readonly close: () => Promise<void>;
}

const FACTS: WorkerFacts = { slots: 1, slotsTaken: 0, leases: 0 };

/** Thresholds that nothing reaches, so that each test finds what it is about. */
const OFF = {
  ...{ oldestAge: Infinity, lateness: Infinity, holdAge: Infinity, eventLoopLag: Infinity },
  ...{ retryShare: Infinity, groupShare: Infinity, deadLettersPerMinute: Infinity },
  ...{ expiredLeases: Infinity, unattendedRuns: Infinity },
} as const;

/** Tests each finding of `queue.health` by a fault that is there. */
export function describeHealth(open: () => Promise<HealthHarness>): void {
  let harness: HealthHarness;
  let broker: Broker;
  let queue: Queue;
  let scene: Pick<CaseScene, 'submit' | 'claim' | 'settle'>;
  beforeEach(async () => {
    harness = await open();
    broker = harness.broker;
    queue = createQueue({ broker });
    scene = createSteps(broker);
  });
  afterEach(() => harness.close());

  const attend = (...lanes: readonly string[]) =>
    broker.attend({ worker: 'w', lanes, ttlMs: 60_000, facts: FACTS });
  const check = (options: HealthOptions): Promise<Health> => queue.health({ ...OFF, ...options });
  const found = async (options: HealthOptions): Promise<readonly Finding[]> =>
    (await check(options)).findings;

  describe('a queue without faults', () => {
    it('is healthy while it is empty', async () => {
      expect(await queue.health({ audit: true })).toEqual({
        ...{ isHealthy: true, findings: [] },
        figures: {
          ...{ at: expect.any(Number), lanes: 0, isComplete: true, workers: 0, unbalanced: 0 },
          ...{ waiting: 0, scheduled: 0, due: 0, started: 0 },
          ...{ unattendedRuns: 0, deadLetters: 0, expiredLeases: 0 },
        },
      });
    });

    it('is healthy while it works', async () => {
      await attend('l');
      await scene.submit('a', 'b', { id: 'c', delayMs: 60_000 });
      await scene.claim({ limit: 1 });
      await die(scene, { d: 'x' }, 'm');

      const { isHealthy, figures } = await queue.health({ audit: true });

      expect(isHealthy).toBe(true);
      expect(figures).toMatchObject({
        lanes: 1,
        workers: 1,
        scheduled: 1,
        deadLetters: 1,
        unattendedRuns: 0,
      });
    });

    it('counts the runs that are due among the scheduled ones', async () => {
      await scene.submit({ id: 'a', delayMs: 1 }, { id: 'b', delayMs: 60_000 });
      await rest(20);

      const { figures } = await queue.health();

      expect(figures).toMatchObject({ waiting: 0, scheduled: 2, due: 1 });
    });
  });

  describe('a finding', () => {
    it('is a lane that no live worker knows', async () => {
      await scene.submit({ id: 'a', lane: 'mail@2' }, { id: 'b', lane: 'mail@2' });

      expect(await queue.health()).toMatchObject({
        isHealthy: false,
        findings: [
          {
            ...{ code: 'LANE_WITHOUT_WORKER', level: 'critical', figure: 2, threshold: 0 },
            ...{ lane: 'mail@2', task: 'mail', version: '2' },
            sentence: '2 runs are due in lane mail@2, which no live worker knows.',
            cure: expect.stringContaining('Start a worker'),
          },
        ],
        figures: { unattendedRuns: 2, waiting: 2 },
      });
      expect(await found({ unattendedRuns: 2 })).toEqual([]);
      await attend('mail@2');
      expect(await found({ unattendedRuns: 0 })).toEqual([]);
    });

    it('is the age of the next run', async () => {
      await attend('l');
      await scene.submit('a');
      await rest(60);

      expect(await found({ oldestAge: 50 })).toMatchObject([
        { code: 'OLDEST_AGE', lane: 'l', threshold: 50 },
      ]);
      expect(await found({ oldestAge: '1h' })).toEqual([]);
      await scene.claim();
      expect(await found({ oldestAge: 50 })).toEqual([]);
    });

    it('is no age of a run that a hold keeps waiting, only the hold', async () => {
      await attend('l');
      await scene.submit('a');
      await queue.hold({ all: true });
      await rest(60);

      expect((await found({ oldestAge: 50, holdAge: 5 })).map(({ code }) => code)).toEqual(['LANE_ON_HOLD']);
    });

    it('is a lease that has expired', async () => {
      await attend('l');
      await scene.submit('a', 'b', 'c');
      await scene.claim({ limit: 2, leaseMs: 1 });
      await rest(20);

      expect(await found({ expiredLeases: 1 })).toMatchObject([{ code: 'EXPIRED_LEASES', figure: 2 }]);
      expect(await found({ expiredLeases: 2 })).toEqual([]);
    });

    it('is a hold of one lane, or of all', async () => {
      await queue.hold({ lane: 'mail@2' });
      await rest(20);

      expect(await found({ holdAge: 5 })).toMatchObject([
        { code: 'LANE_ON_HOLD', lane: 'mail@2', task: 'mail' },
      ]);
      expect(await found({ holdAge: '1h' })).toEqual([]);
      await queue.resume({ lane: 'mail@2' });
      await queue.hold({ all: true });
      await rest(20);
      const [finding, ...others] = await found({ holdAge: 5 });
      expect(others).toEqual([]);
      expect(finding?.lane).toBeUndefined();
      expect(finding?.sentence).toMatch(/^All lanes have been on hold for /);
    });

    it('is a number of dead letters that grows', async () => {
      await die(scene, { a: 'x' });
      expect((await check({ deadLettersPerMinute: 0 })).figures.deadLettersPerMinute).toBeUndefined();
      await die(scene, { b: 'x', c: 'x', d: 'y' });
      await rest(1_050);

      const { findings, figures } = await check({ deadLettersPerMinute: 2 });

      expect(findings).toMatchObject([{ code: 'DEAD_LETTERS_GROW', threshold: 2, figure: 3 }]);
      expect(figures.deadLettersPerMinute).toBe(3);
      expect(await found({ deadLettersPerMinute: 3 })).toEqual([]);
    });

    it('is a group that has most dead letters', async () => {
      await die(scene, { a: 'x', b: 'x', c: 'y' }, 'mail@2');
      await die(scene, { d: 'x' });

      expect(await found({ groupShare: 0.4, minDeadLetters: 4 })).toMatchObject([
        {
          ...{ code: 'DOMINANT_GROUP', figure: 0.5, lane: 'mail@2', group: { id: 'x', title: 'Error: x' } },
          sentence:
            '50 % of all dead letters are in lane mail@2 and have one cause, Error: x; 40 % are accepted.',
        },
      ]);
      expect(await found({ groupShare: 0.5, minDeadLetters: 4 })).toEqual([]);
      expect(await found({ groupShare: 0.4, minDeadLetters: 5 })).toEqual([]);
    });

    it('is an audit that is unbalanced, if it is asked for', async () => {
      await scene.submit('a');
      const unbalanced = createQueue({ broker: await harness.unbalance() });

      expect((await unbalanced.health({ ...OFF, audit: true })).findings).toMatchObject([
        { code: 'UNBALANCED', level: 'critical', figure: 5, threshold: 0 },
      ]);
      expect((await unbalanced.health(OFF)).findings).toEqual([]);
    });

    it('is what a worker does: late starts, retries, timers that fire late', async () => {
      const block = defineTask({
        name: 'block',
        retry: { maxAttempts: 2, backoff: { type: 'none' } },
        run: (_: number, { attempt }) => {
          for (const until = performance.now() + 60; performance.now() < until; );
          if (attempt === 1) throw new Error('once more');
        },
      });
      const worker = createWorker({
        broker,
        tasks: [block],
        name: 'w',
        signals: [],
        concurrency: 1,
        cleanerInterval: '400ms',
      });
      worker.start();
      const options = { lateness: 50, retryShare: 0.1, minStarts: 2, eventLoopLag: 30 };

      const codes = new Set<string>();
      await vi.waitFor(
        async () => {
          // One after another, so that the second of two starts late in every window of figures.
          await queue.submitMany(block, [1, 2]);
          for (const { code, sentence } of await found(options)) {
            codes.add(code);
            expect(sentence).toMatch(/block@1|worker w /);
          }
          expect([...codes].sort()).toEqual(['EVENT_LOOP_LAG', 'LATE_STARTS', 'RETRY_SHARE']);
        },
        { timeout: 10_000, interval: 100 },
      );
      await worker.stop();
      expect(await found(options)).toEqual([]);
    });
  });
}
