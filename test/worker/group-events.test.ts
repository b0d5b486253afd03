import { channel } from 'node:diagnostics_channel';
import type { WorkerEvents } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

type Noticed = WorkerEvents['deadLetterGroup'];

const charge = defineTask({
  name: 'charge',
  retry: { maxAttempts: 1 },
  run: (reason: string) => Promise.reject(new Error(reason)),
});

const shown = ({ kind, lane, group, count }: Noticed): string => `${kind} ${lane} ${group.title} ${count}`;

/** A scene, a worker of its tasks and what it emitted of error groups. */
function setFailing() {
  const scene = setScene();
  const worker = scene.startWorker({ tasks: [charge] });
  const noticed: Noticed[] = [];
  const off = worker.on('deadLetterGroup', (event) => noticed.push(event));
  return { ...scene, worker, noticed, off };
}

describe('deadLetterGroup', () => {
  it('has what is kept of a new group, and its task', async () => {
    const { clock, queue, noticed } = setFailing();
    await queue.submit(charge, 'card 17 refused', { key: 'a' });

    await clock.advance('5s');

    expect(noticed).toEqual([
      {
        ...{ kind: 'new', lane: 'charge@1', task: 'charge', version: '1', count: 1, attempts: 1 },
        group: { id: expect.stringMatching(/^[0-9a-f]{16}$/), title: 'Error: card # refused' },
        ...{ firstSeenAt: expect.any(Number), lastSeenAt: expect.any(Number) },
        ...{ sampleId: 'charge@a', isOther: false },
      },
    ]);
  });

  it('is emitted again when the group has doubled', async () => {
    const { clock, queue, noticed } = setFailing();

    for (let count = 1; count <= 9; count += 1) {
      await queue.submit(charge, 'no');
      await clock.advance('5s');
    }

    expect(noticed.map(shown)).toEqual([
      'new charge@1 Error: no 1',
      ...[2, 4, 8].map((count) => `doubled charge@1 Error: no ${count}`),
    ]);
  });

  it('is emitted by one of several workers', async () => {
    const { clock, queue, noticed, startWorker } = setFailing();
    const others = [1, 2].map(() => startWorker({ tasks: [charge] }));
    for (const other of others) other.on('deadLetterGroup', (event) => noticed.push(event));

    await queue.submitMany(charge, ['a', 'b', 'b', 'a', 'b']);
    await clock.advance('5s');

    expect(noticed.map(shown).sort()).toEqual(['new charge@1 Error: a 2', 'new charge@1 Error: b 3']);
  });

  it('is left to the workers that listen', async () => {
    const { clock, queue, noticed, worker, off } = setFailing();
    off();
    await queue.submit(charge, 'no');
    await clock.advance('1m');

    worker.on('deadLetterGroup', (event) => noticed.push(event));
    await clock.advance('5s');

    expect(noticed.map(shown)).toEqual(['new charge@1 Error: no 1']);
  });

  it('is emitted by a worker that stops', async () => {
    const { clock, queue, noticed, worker } = setFailing();
    await queue.submit(charge, 'no');
    await clock.advance('1s');

    const stopped = worker.stop();
    await clock.advance('1s');
    await stopped;

    expect(noticed.map(shown)).toEqual(['new charge@1 Error: no 1']);
  });

  it('changes nothing when its listener throws', async () => {
    const { clock, queue, noticed, worker } = setFailing();
    worker.on('deadLetterGroup', () => {
      throw new Error('not now');
    });

    await queue.submit(charge, 'no');
    await clock.advance('5s');
    await queue.submit(charge, 'no');
    await clock.advance('5s');

    expect(noticed.map(shown)).toEqual(['new charge@1 Error: no 1', 'doubled charge@1 Error: no 2']);
    expect(worker.emittedOf('error')).toMatchObject([
      ...Array(2).fill({ doing: 'calling a listener of deadLetterGroup' }),
    ]);
  });

  it('is published on its channel', async () => {
    const { clock, queue, off } = setFailing();
    off();
    const published: unknown[] = [];
    const subscriber = (event: unknown): void => void published.push(event);
    const events = channel('retry:worker:deadLetterGroup');
    events.subscribe(subscriber);

    await queue.submit(charge, 'no');
    await clock.advance('5s');
    events.unsubscribe(subscriber);

    expect(published).toMatchObject([{ kind: 'new', task: 'charge' }]);
  });

  it('becomes an error event when the broker fails, and comes later', async () => {
    const scene = setScene();
    const { notes } = scene.broker;
    let isDown = true;
    const read: typeof notes.read = (query) =>
      isDown && query.prefix.startsWith('error-group')
        ? Promise.reject(new Error('down'))
        : notes.read(query);
    const broker = { ...scene.broker, notes: { ...notes, read } };
    const worker = scene.startWorker({ tasks: [charge], broker });
    const noticed: Noticed[] = [];
    worker.on('deadLetterGroup', (event) => noticed.push(event));

    await scene.queue.submit(charge, 'no');
    await scene.clock.advance('5s');
    isDown = false;
    await scene.clock.advance('5s');

    expect(worker.emittedOf('error')).toMatchObject([{ doing: 'looking for new error groups' }]);
    expect(noticed.map(shown)).toEqual(['new charge@1 Error: no 1']);
  });

  it('is not emitted where the broker has no insight', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const { figures: _, ...plain } = broker;
    const noticed: Noticed[] = [];
    const worker = startWorker({ tasks: [charge], broker: plain });
    worker.on('deadLetterGroup', (event) => noticed.push(event));

    await queue.submit(charge, 'no');
    await clock.advance('5s');

    expect(noticed).toEqual([]);
    expect(worker.emittedOf('error')).toEqual([]);
  });
});
