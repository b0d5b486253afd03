import type { Notes } from '@retry/core/broker';
import type { WorkerOptions } from '@retry/worker';
import { createWorker, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../worker/scene.ts';
import { pass, setScene } from '../worker/scene.ts';

const HOUR_MS = 3_600_000;
const START_AT = Date.parse('2026-03-07T00:00Z');

const other = defineTask({ name: 'other', run: () => {} });

/** A worker that was not started, and the ids of the runs that it starts. */
function createIdle({ clock, broker }: Scene, options: Partial<WorkerOptions> = {}) {
  const worker = createWorker({ broker, clock, signals: [], random: () => 0.5, tasks: [other], ...options });
  const started: string[] = [];
  worker.on('started', ({ id }) => void started.push(id));
  return { worker, started };
}

/** A broker whose notes are read in another way. */
function reading({ broker }: Scene, read: Notes['read']): Scene['broker'] {
  return { ...broker, notes: { ...broker.notes, read } };
}

describe('worker.drain and schedules', () => {
  it('fires what is due once, executes it, and says when the next schedule fires', async () => {
    const scene = setScene(START_AT);
    const { clock, queue } = scene;
    const task = defineTask({ name: 'report', run: () => {} });
    await queue.schedule('hourly', { task, payload: null, every: '1h', missed: { all: 10 } });
    await queue.schedule('daily', { task: other, payload: null, every: '1d' });
    await clock.advance('150m');
    const { worker, started } = createIdle(scene, { tasks: [task] });

    const drained = worker.drain();
    await clock.advance('1s');

    expect(await drained).toMatchObject({
      completed: 2,
      endedBy: 'empty',
      nextRunAt: START_AT + 3 * HOUR_MS,
    });
    expect(started).toEqual(['01', '02'].map((hour) => `@schedule/hourly@2026-03-07T${hour}:00:00.000Z`));

    const again = createIdle(scene, { tasks: [task] }).worker.drain();
    await clock.advance('1s');
    expect(await again).toMatchObject({ started: 0, endedBy: 'empty', nextRunAt: START_AT + 3 * HOUR_MS });
  });

  it('fires schedules of tasks that it does not know', async () => {
    const scene = setScene(START_AT);
    const { clock, queue } = scene;
    const task = defineTask({ name: 'report', run: () => {} });
    await queue.schedule('hourly', { task, payload: null, every: '1h' });
    await clock.advance('1h');

    const drained = createIdle(scene).worker.drain();
    await clock.advance('1s');

    expect(await drained).toMatchObject({ started: 0, nextRunAt: START_AT + 2 * HOUR_MS });
    expect(await queue.counts()).toMatchObject({ submitted: 1 });
  });

  it('executes what is due though no schedule can be read, and says to come again now', async () => {
    const scene = setScene(START_AT);
    const { clock, queue } = scene;
    await queue.submit(other, undefined);
    const lost = new Error('lost');
    const { worker } = createIdle(scene, { broker: reading(scene, () => Promise.reject(lost)) });
    const errors: unknown[] = [];
    worker.on('error', ({ error, doing }) => void errors.push([error, doing]));

    const drained = worker.drain();
    await clock.advance('1s');

    expect(await drained).toMatchObject({ completed: 1, endedBy: 'empty' });
    expect((await drained).nextRunAt).toBeLessThanOrEqual(clock.now());
    expect(errors).toEqual([[lost, 'firing schedules']]);
  });

  it('leaves the schedules that it has not read to others once it is ended', async () => {
    const scene = setScene(START_AT);
    const { clock, broker, queue } = scene;
    const task = defineTask({ name: 'report', run: () => {} });
    for (let index = 0; index < 100; index += 1)
      await queue.schedule(`s${index}`, { task, payload: null, every: '1h' });
    await clock.advance('1h');
    const read: Notes['read'] = async (query) => {
      const page = await broker.notes.read(query);
      await pass(clock, 3_000);
      return page;
    };

    const drained = createIdle(scene, { broker: reading(scene, read) }).worker.drain({ maxMs: 2_000 });
    const rejected = expect(drained).rejects.toMatchObject({ code: 'NO_ANSWER' });
    await clock.advance('1m');

    await rejected;
    expect(await queue.counts()).toMatchObject({ created: 0 });
  });

  it('ends in time though reading schedules never does', async () => {
    const scene = setScene(START_AT);
    const { clock, queue } = scene;
    await queue.submit(other, undefined);
    const broker = reading(scene, () => new Promise(() => {}));

    const drained = createIdle(scene, { broker }).worker.drain({ maxMs: 5_000 });
    const rejected = expect(drained).rejects.toMatchObject({ code: 'NO_ANSWER' });
    await clock.advance('5s');

    await rejected;
    expect(await queue.counts()).toMatchObject({ submitted: 1 });
  });
});
