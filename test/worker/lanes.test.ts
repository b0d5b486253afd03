import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { hearWarnings } from '../support/hear-warnings.ts';
import { setScene } from './scene.ts';

const version = (number: string, seen: string[] = []) =>
  defineTask({ name: 'mail', version: number, run: (to: string) => void seen.push(`${number} ${to}`) });

describe('a run of an unknown name@version', () => {
  it('waits in its lane, untouched, for a worker that knows it', async () => {
    const { clock, queue, startWorker } = setScene();
    const seen: string[] = [];
    const [old, next] = [version('1', seen), version('2', seen)];
    await queue.submit(old, 'ann');
    const { id } = await queue.submit(next, 'bob');
    const warnings = hearWarnings();
    const worker = startWorker({ tasks: [old] });
    await clock.advance('1h');
    expect(warnings).toEqual([expect.stringMatching(/^RETRY_UNATTENDED_LANE: .* mail@2$/)]);
    expect(seen).toEqual(['1 ann']);
    expect(await queue.get(id)).toMatchObject({ state: 'submitted', epoch: 0 });
    expect(worker.emittedOf('error')).toEqual([]);

    startWorker({ tasks: [old, next] });
    await clock.advance('1s');

    expect(seen).toEqual(['1 ann', '2 bob']);
    expect(await queue.get(id)).toMatchObject({ state: 'completed', epoch: 1 });
  });
});

describe('a lane', () => {
  it('returns its runs in the order of their submission', async () => {
    const { clock, queue, startWorker } = setScene();
    const seen: string[] = [];
    const task = version('1', seen);
    for (const name of ['ann', 'bob', 'cid', 'dan']) await queue.submit(task, name);
    startWorker({ tasks: [task], concurrency: 1 });

    await clock.advance('1s');

    expect(seen).toEqual(['1 ann', '1 bob', '1 cid', '1 dan']);
  });

  it('is shared by workers, each run started once', async () => {
    const { clock, queue, startWorker } = setScene();
    const seen: string[] = [];
    const task = version('1', seen);
    const names = Array.from({ length: 200 }, (_, index) => `to-${index}`);
    await queue.submitMany(task, names);
    const workers = [startWorker({ tasks: [task] }), startWorker({ tasks: [task] })];

    await clock.advance('1s');
    await clock.advance('1s');

    expect(seen).toHaveLength(200);
    expect(new Set(seen).size).toBe(200);
    for (const worker of workers) expect(worker.emittedOf('started').length).toBeGreaterThan(0);
  });
});
