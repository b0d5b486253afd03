import type { Clock } from '@retry/core';
import type { Broker, Notes } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { AnyTask, MissedFires } from '@retry/worker';
import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { hearWarnings } from '../support/hear-warnings.ts';
import type { Scene } from '../worker/scene.ts';
import { MANY_TURNS, pass, setScene } from '../worker/scene.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** What else a worker does is done rarely, so that days pass quickly. */
const RARELY = { lease: '1h', cleanerInterval: '6h', pollInterval: '6h' } as const;
const START_AT = Date.parse('2026-03-07T00:00Z');

/** A task that notes when its runs start, by the broker's clock, and what they are given. */
function notedTask({ clock }: Pick<Scene, 'clock'>, name = 'report') {
  const started: { readonly at: string; readonly payload: unknown; readonly id: string }[] = [];
  const run = (payload: unknown, { id }: { readonly id: string }): void =>
    void started.push({ at: textOf(clock.now()), payload, id });
  return { task: defineTask({ name, run }), started };
}

function textOf(at: number): string {
  return new Date(at).toISOString().slice(5, 19);
}

/** How often the notes of schedules are read. */
function counting(broker: Broker): { readonly broker: Broker; readonly reads: () => number } {
  let reads = 0;
  const { notes } = broker;
  const read: Notes['read'] = (query) => {
    if (query.prefix.startsWith('schedule')) reads += 1;
    return notes.read(query);
  };
  return { broker: { ...broker, notes: { ...notes, read } }, reads: () => reads };
}

/** Starts a worker that writes schedules down so, and lets it begin to fire one, 100 ms ago. */
async function startFiring(scene: Scene, writeSchedule: Notes['write']) {
  const { clock, broker, queue, startWorker } = scene;
  const { notes } = broker;
  await queue.schedule('hourly', { task: notedTask(scene).task, payload: null, every: '1h' });
  const write: Notes['write'] = (writes) =>
    writes.some(({ key }) => key.startsWith('schedule')) ? writeSchedule(writes) : notes.write(writes);
  const tasks = [notedTask(scene, 'other').task];
  const worker = startWorker({ tasks, ...RARELY, broker: { ...broker, notes: { ...notes, write } } });
  await clock.advance(HOUR_MS + 100);
  return worker;
}

describe('workers and schedules', () => {
  it('fire each instant once, whatever their number and their clocks', async () => {
    const scene = setScene(START_AT);
    const { clock, queue, startWorker } = scene;
    const { task, started } = notedTask(scene);
    for (const offsetMs of [-HOUR_MS, 0, HOUR_MS, 17]) {
      const skewed: Clock = { ...clock, now: () => clock.now() + offsetMs };
      startWorker({ tasks: [task], clock: skewed, ...RARELY });
    }

    await queue.schedule('hourly', { task, payload: 'all', cron: '0 */6 * * *' });
    await clock.advance('1d');

    expect(started.map(({ at, payload }) => [at, payload])).toEqual([
      ['03-07T06:00:00', 'all'],
      ['03-07T12:00:00', 'all'],
      ['03-07T18:00:00', 'all'],
      ['03-08T00:00:00', 'all'],
    ]);
    expect(started[0]?.id).toBe('@schedule/hourly@2026-03-07T06:00:00.000Z');
    expect(await queue.counts()).toMatchObject({ created: 4 });
  });

  it('fire by the clocks of a zone when those go forward and back', async () => {
    const scene = setScene(START_AT);
    const { clock, queue, startWorker } = scene;
    const { task, started } = notedTask(scene);
    startWorker({ tasks: [task], ...RARELY });

    await queue.schedule('night', { task, payload: null, cron: '30 2 * * *', timeZone: 'America/New_York' });
    await clock.advance('3d');

    expect(started.map(({ at }) => at)).toEqual(['03-07T07:30:00', '03-08T07:00:00', '03-09T06:30:00']);
  });

  it('fire schedules of tasks that they do not know', async () => {
    const scene = setScene(START_AT);
    const { clock, queue, startWorker } = scene;
    const other = notedTask(scene, 'other');
    const { task } = notedTask(scene);
    startWorker({ tasks: [other.task] });
    const warnings = hearWarnings();

    await queue.schedule('report', { task, payload: null, every: '1m' });
    await clock.advance('90s');

    expect(await queue.counts()).toMatchObject({ submitted: 1, created: 1 });
    expect(warnings).toEqual([expect.stringMatching(/^RETRY_UNATTENDED_LANE: .* report@1$/)]);
  });

  it('notice immediately what a queue of their process has scheduled by a broker of its own', async () => {
    const scene = setScene(START_AT);
    const { clock, broker, startWorker } = scene;
    const { task, started } = notedTask(scene);
    startWorker({ tasks: [task], ...RARELY });
    await clock.advance('1s');

    const queue = createQueue({ broker: { ...broker }, clock });
    await queue.schedule('quick', { task, payload: null, every: '10s' });
    await clock.advance('20s');

    expect(started.map(({ at }) => at)).toEqual(['03-07T00:00:11', '03-07T00:00:21']);
  });

  it('notice within a minute what another process has scheduled', async () => {
    const scene = setScene(START_AT);
    const { clock, broker, startWorker } = scene;
    const { task, started } = notedTask(scene);
    const elsewhere = createMemoryBroker({ clock });
    const queue = createQueue({ broker: elsewhere, clock });
    await queue.schedule('quick', { task, payload: null, every: '10s', missed: { all: 10 } });
    startWorker({ tasks: [task], ...RARELY });
    await clock.advance('1s');

    const { notes } = await elsewhere.notes.read({ prefix: 'schedule', limit: 10 });
    await broker.notes.write(notes.map(({ key, value }) => ({ key, value })));
    await clock.advance('60s');

    expect(started.map(({ id }) => id.slice(-8))).toEqual(
      ['10', '20', '30', '40', '50', '00'].map((second) => `:${second}.000Z`),
    );
  });

  it.each<[MissedFires, readonly string[]]>([
    ['skip', []],
    ['latest', ['03-08T00:00']],
    [{ all: 3 }, ['03-07T22:00', '03-07T23:00', '03-08T00:00']],
  ])('make up for what %j says after a day in which none was alive', async (missed, expected) => {
    const scene = setScene(START_AT);
    const { clock, queue, startWorker } = scene;
    const { task, started } = notedTask(scene);
    await queue.schedule('hourly', { task, payload: null, every: '1h', missed });
    await clock.advance(DAY_MS + HOUR_MS / 2);

    startWorker({ tasks: [task], ...RARELY });
    await clock.advance('1m');

    expect(started.map(({ id }) => id.slice(-19, -8))).toEqual(expected);
    await clock.advance('1h');
    expect(started).toHaveLength(expected.length + 1);
  });

  it('end between from and until', async () => {
    const scene = setScene(START_AT);
    const { clock, queue, startWorker } = scene;
    const { task, started } = notedTask(scene);
    startWorker({ tasks: [task], ...RARELY });
    const from = '2026-03-07T03:00Z';

    await queue.schedule('some', { task, payload: null, every: '1h', from, until: START_AT + 5 * HOUR_MS });
    await clock.advance('1d');

    expect(started.map(({ at }) => at)).toEqual(['03-07T03:00:00', '03-07T04:00:00', '03-07T05:00:00']);
    expect((await queue.schedules()).schedules).toMatchObject([
      { id: 'some', lastAt: START_AT + 5 * HOUR_MS },
    ]);
    expect((await queue.schedules()).schedules[0]).not.toHaveProperty('nextAt');
  });

  it('fire with what a schedule says at that time, and not after it is removed', async () => {
    const scene = setScene(START_AT);
    const { clock, queue, startWorker } = scene;
    const { task, started } = notedTask(scene);
    startWorker({ tasks: [task], ...RARELY });
    await queue.schedule('changing', { task, payload: 1, every: '10m' });
    await clock.advance('25m');

    await queue.schedule('changing', { task, payload: 2, every: '10m' });
    await clock.advance('10m');
    await queue.schedule('changing', { task, payload: 2, every: '7m' });
    await clock.advance('10m');
    expect(await queue.unschedule('changing')).toBe('removed');
    await clock.advance('1h');

    expect(started.map(({ at, payload }) => [at, payload])).toEqual([
      ['03-07T00:10:00', 1],
      ['03-07T00:20:00', 1],
      ['03-07T00:30:00', 2],
      ['03-07T00:42:00', 2],
    ]);
    expect(await queue.unschedule('changing')).toBe('gone');
  });

  it('fire once though one dies between any two calls, and ended runs are forgotten at once', async () => {
    const clockScene = setScene(START_AT);
    const { clock } = clockScene;
    const broker = createMemoryBroker({ clock, keepCompleted: { count: 0 } });
    const queue = createQueue({ broker, clock });
    const { task, started } = notedTask(clockScene);
    const other = notedTask(clockScene, 'other').task;
    await queue.schedule('risky', { task, payload: null, every: '10m', missed: 'skip' });
    // Each of these workers fails at one call when it fires: with its effect, or without it.
    const calls = [
      'before write',
      'after write',
      'before submit',
      'after submit',
      'before settle',
      'after settle',
    ];
    for (const call of calls)
      clockScene.startWorker({ tasks: [other], ...RARELY, broker: failingOnce(broker, call) });
    clockScene.startWorker({ tasks: [task], ...RARELY, broker });

    await clock.advance('2h');

    expect(started.map(({ id }) => id)).toEqual([...new Set(started.map(({ id }) => id))]);
    expect(started).toHaveLength(12);
    expect(await queue.counts()).toMatchObject({ created: 12 });
  });

  it('submit what they have taken on before they have stopped', async () => {
    const scene = setScene(START_AT);
    const { clock, broker, queue } = scene;
    const worker = await startFiring(scene, async (writes) => {
      await pass(clock, 300);
      return broker.notes.write(writes);
    });

    const stopped = worker.stop().then(() => queue.counts());
    await clock.advance('5s');

    expect(await stopped).toMatchObject({ created: 1 });
    expect(worker.emittedOf('error')).toEqual([]);
  });

  it('wait for no fire for longer than a second when they stop', async () => {
    const scene = setScene(START_AT);
    const { clock } = scene;
    const worker = await startFiring(scene, () => new Promise(() => {}));

    const stopped = worker.stop().then(() => clock.now());
    await clock.advance('1m');

    expect(await stopped).toBe(START_AT + HOUR_MS + 100 + 1_000);
  });

  it('ask at most once a minute while nothing is due, whatever the number of schedules', async () => {
    const scene = setScene(START_AT);
    const { clock, broker, queue, startWorker } = scene;
    const { task } = notedTask(scene);
    for (let index = 0; index < 300; index += 1)
      await queue.schedule(`s${index}`, { task, payload: null, every: '1d' });
    const counted = counting(broker);
    startWorker({ tasks: [task], ...RARELY, broker: counted.broker });

    await clock.advance('1h');

    expect(counted.reads()).toBeGreaterThan(50);
    expect(counted.reads()).toBeLessThanOrEqual(61);
  });

  it('fire ten thousand schedules that are due at the same time, each once', {
    timeout: 600_000,
  }, async () => {
    const scene = setScene(START_AT, MANY_TURNS);
    const { clock, queue, startWorker } = scene;
    const { task } = notedTask(scene);
    const other = notedTask(scene, 'other').task;
    const ids = Array.from({ length: 10_000 }, (_, index) => `s${index}`);
    for (let from = 0; from < ids.length; from += 500)
      await Promise.all(
        ids.slice(from, from + 500).map((id) => queue.schedule(id, { task, payload: id, cron: '0 1 * * *' })),
      );
    const tasks: readonly AnyTask[] = [other];
    for (let count = 0; count < 3; count += 1) startWorker({ tasks, ...RARELY });

    await clock.advance('61m');
    for (let round = 0; round < 50 && (await queue.counts()).created < ids.length; round += 1)
      await clock.advance('1s');

    expect(await queue.counts()).toMatchObject({ submitted: ids.length, created: ids.length });
    expect((await queue.schedules({ limit: 1 })).schedules).toMatchObject([
      { nextAt: START_AT + 25 * HOUR_MS, lastAt: START_AT + HOUR_MS },
    ]);
  });
});

/** A broker that fails at one call when schedules are fired, and works from then on. */
function failingOnce(broker: Broker, call: string): Broker {
  const { notes } = broker;
  let writes = 0;
  let failures = 0;
  const failing = async <Answer>(what: string, run: () => Promise<Answer>): Promise<Answer> => {
    const isNow = failures < 3 && call.endsWith(what);
    if (isNow) failures += 1;
    if (isNow && call.startsWith('before')) throw new Error(`no ${what}`);
    const answer = await run();
    if (isNow) throw new Error(`no answer to ${what}`);
    return answer;
  };
  return {
    ...broker,
    submit: (submissions) => failing('submit', () => broker.submit(submissions)),
    notes: {
      ...notes,
      write: (all) => {
        writes += 1;
        return failing(writes % 2 === 1 ? 'write' : 'settle', () => notes.write(all));
      },
    },
  };
}
