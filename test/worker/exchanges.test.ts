import type { Broker, ExchangeReply, ExchangeRequest } from '@retry/core/broker';
import { createWorker, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { Scene } from './scene.ts';
import { MANY_TURNS, pass, setScene } from './scene.ts';

/** The scene's broker behind a slow line: the most exchanges on it, and the most runs that were claimed at a time. */
function slowLine({ broker, clock }: Scene, delayMs: number) {
  const seen = { most: 0, mostStarted: 0 };
  let onTheirWay = 0;
  const exchange = async (request: ExchangeRequest): Promise<ExchangeReply> => {
    onTheirWay += 1;
    seen.most = Math.max(seen.most, onTheirWay);
    await pass(clock, delayMs);
    const reply = await broker.exchange(request);
    onTheirWay -= 1;
    seen.mostStarted = Math.max(seen.mostStarted, (await broker.audit()).started);
    return reply;
  };
  const slow: Broker = { ...broker, exchange };
  return { slow, seen };
}

/** A task that notes how many of it run at a time. */
function countingTask({ clock }: Scene, runMs: number, rest: object = {}) {
  const seen = { running: 0, most: 0, done: 0 };
  const task = defineTask({
    name: 'counted',
    ...rest,
    run: async (_: number) => {
      seen.running += 1;
      seen.most = Math.max(seen.most, seen.running);
      if (runMs > 0) await pass(clock, runMs);
      seen.running -= 1;
      seen.done += 1;
    },
  });
  return { task, seen };
}

/** A scene whose turns of the event loop are counted, and what its worker sent in which of them to a broker that answers `turnsLater`. */
function setTurns({ turnsLater }: { readonly turnsLater: number }) {
  const scene = setScene(0, MANY_TURNS);
  let turn = 0;
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  const seen: { readonly turn: number; readonly settles: number }[] = [];
  const exchange = async (request: ExchangeRequest): Promise<ExchangeReply> => {
    seen.push({ turn, settles: request.settle?.length ?? 0 });
    for (let left = turnsLater; left > 0; left -= 1) await new Promise(setImmediate);
    return scene.broker.exchange(request);
  };
  const broker: Broker = { ...scene.broker, exchange };
  return {
    scene,
    turns: { now: () => turn, stop: () => clearImmediate(next) },
    exchanges: { broker, seen },
  };
}

const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index);

describe('exchanges', () => {
  it('are at most two at a time, and together never claim more than there are slots', async () => {
    const scene = setScene(0, MANY_TURNS);
    const { slow, seen } = slowLine(scene, 20);
    const { task, seen: work } = countingTask(scene, 5);
    await scene.queue.submitMany(task, numbers(300));
    scene.startWorker({ tasks: [task], broker: slow, concurrency: 20, prefetch: 0 });

    await scene.clock.advance('10s');

    expect(work).toMatchObject({ running: 0, done: 300 });
    expect(work.most).toBeLessThanOrEqual(20);
    expect(seen).toEqual({ most: 2, mostStarted: 20 });
  });

  it('together never claim more of a task than its maxConcurrent', async () => {
    const scene = setScene(0, MANY_TURNS);
    const { slow, seen } = slowLine(scene, 20);
    const { task } = countingTask(scene, 5, { maxConcurrent: 7 });
    const other = countingTask(scene, 5, { name: 'other' }).task;
    await scene.queue.submitMany(task, numbers(100));
    scene.startWorker({ tasks: [task, other], broker: slow, concurrency: 12 });

    await scene.clock.advance('10s');

    expect(seen.mostStarted).toBe(7);
  });

  it('are sent one at a time when there is little to do', async () => {
    const scene = setScene(0, MANY_TURNS);
    const { slow, seen } = slowLine(scene, 20);
    const { task, seen: work } = countingTask(scene, 0);
    scene.startWorker({ tasks: [task], broker: slow, concurrency: 20 });
    for (const number of numbers(5)) {
      await scene.queue.submit(task, number);
      await scene.clock.advance('1s');
    }

    expect(work.done).toBe(5);
    expect(seen.most).toBe(1);
  });

  it('settle the runs of one answer before the next one takes effect, though both arrive together', async () => {
    const scene = setScene(0, MANY_TURNS);
    const { broker, clock } = scene;
    const { task, seen: work } = countingTask(scene, 0);
    await scene.queue.submitMany(task, numbers(200));
    const settled: number[] = [];
    let answerFirst: (() => void) | undefined;
    // Answers two exchanges together, as a server does that read them together; a single one after 20 ms.
    const exchange = async (request: ExchangeRequest): Promise<ExchangeReply> => {
      const reply = await broker.exchange(request);
      settled.push(request.settle?.length ?? 0);
      if (answerFirst === undefined) {
        const second = new Promise<void>((resolve) => {
          answerFirst = resolve;
        });
        await Promise.race([second, pass(clock, 20)]);
      } else answerFirst();
      answerFirst = undefined;
      return reply;
    };
    scene.startWorker({
      tasks: [task],
      broker: { ...broker, exchange },
      concurrency: 20,
      prefetch: 0,
    });

    await clock.advance('10s');

    expect(work.done).toBe(200);
    expect(settled.filter((count) => count > 0).every((count) => count === 20 || count === 10)).toBe(true);
    expect(settled.filter((count) => count === 10).length).toBeGreaterThan(15);
  });

  it('send settlements within a millisecond, though another exchange is pending', async () => {
    const scene = setScene(0, MANY_TURNS);
    const { broker, clock, queue } = scene;
    let count = 0;
    // The second one, a claim alone, never comes back.
    const exchange = (request: ExchangeRequest): Promise<ExchangeReply> => {
      count += 1;
      return count === 2 ? new Promise(() => {}) : broker.exchange(request);
    };
    const { task } = countingTask(scene, 10);
    await queue.submitMany(task, numbers(4));
    const worker = createWorker({
      tasks: [task],
      broker: { ...broker, exchange },
      clock,
      signals: [],
    });
    worker.start();

    await clock.advance(10);
    expect(await queue.counts()).toMatchObject({ started: 4 });
    await clock.advance(1);

    expect(await queue.counts()).toMatchObject({ started: 0, ended: { completed: 4 } });
    void worker.stop(); // not awaited: one of its exchanges is lost
    await clock.advance('1m');
  });

  it('settle a run in the turn of the event loop in which it ended, when no other can end', async () => {
    const { scene, turns, exchanges } = setTurns({ turnsLater: 3 });
    const endedAt: number[] = [];
    const task = defineTask({ name: 'short', run: (_: number) => void endedAt.push(turns.now()) });
    await scene.queue.submitMany(task, numbers(8));
    scene.startWorker({ tasks: [task], broker: exchanges.broker, concurrency: 1, prefetch: 0 });

    await scene.clock.advance('1s');
    turns.stop();

    expect(endedAt).toHaveLength(8);
    expect(exchanges.seen.filter(({ settles }) => settles > 0).map(({ turn }) => turn)).toEqual(endedAt);
  });

  it('leave a turn of the event loop between them, though the broker answers at once', async () => {
    const { scene, turns, exchanges } = setTurns({ turnsLater: 0 });
    const { task, seen: work } = countingTask(scene, 0);
    await scene.queue.submitMany(task, numbers(40));
    scene.startWorker({ tasks: [task], broker: exchanges.broker, concurrency: 1, prefetch: 0 });

    await scene.clock.advance('1s');
    turns.stop();

    expect(work.done).toBe(40);
    const ofTurn = (turn: number): number => exchanges.seen.filter((each) => each.turn === turn).length;
    expect(Math.max(...exchanges.seen.map(({ turn }) => ofTurn(turn)))).toBeLessThanOrEqual(2);
  });
});
