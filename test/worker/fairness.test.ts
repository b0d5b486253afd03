import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { pass, setScene } from './scene.ts';

interface Mail {
  readonly tenant?: string;
  readonly number: number;
}

const byTenant = ({ tenant }: Mail): string | undefined => tenant;

/** Payloads of a tenant, numbered from 1. */
const mailsOf = (tenant: string, count: number): readonly Mail[] =>
  Array.from({ length: count }, (_, index) => ({ tenant, number: index + 1 }));

/** A task that notes which of its runs have started. */
function noting({ clock }: ReturnType<typeof setScene>) {
  const started: string[] = [];
  const task = defineTask({
    name: 'mail',
    fairness: byTenant,
    run: async ({ tenant = '-', number }: Mail) => {
      started.push(`${tenant}${number}`);
      await pass(clock, 10);
    },
  });
  return { started, task };
}

describe('fairness of a task', () => {
  it('lets keys take turns, whoever has submitted more', async () => {
    const scene = setScene();
    const { started, task } = noting(scene);
    await scene.queue.submitMany(task, mailsOf('t', 1_000));
    await scene.queue.submitMany(task, mailsOf('b', 10));
    scene.startWorker({ tasks: [task], concurrency: 3 });

    await scene.clock.advance('1s');

    const ofB = mailsOf('b', 10).map(({ number }) => started.indexOf(`b${number}`));
    expect(ofB).toEqual(Array.from({ length: 10 }, (_, index) => 2 * index + 1));
  });

  it('leaves runs without a key where they are', async () => {
    const scene = setScene();
    const { started, task } = noting(scene);
    await scene.queue.submitMany(task, [...mailsOf('t', 3), { number: 1 }, { number: 2 }]);
    scene.startWorker({ tasks: [task], concurrency: 1 });

    await scene.clock.advance('1s');

    expect(started).toEqual(['t1', '-1', '-2', 't2', 't3']);
  });

  it('is kept with the run, as the view of it shows', async () => {
    const scene = setScene();
    const { task } = noting(scene);
    const { id } = await scene.queue.submit(task, { tenant: 'ada', number: 1 });
    const { id: plain } = await scene.queue.submit(task, { number: 2 });

    expect(await scene.queue.get(id)).toMatchObject({ fairnessKey: 'ada' });
    expect(await scene.queue.get(plain)).not.toHaveProperty('fairnessKey');
  });

  it('is asked again by a resubmit that says the task, and is that of the old run otherwise', async () => {
    const scene = setScene();
    const { task } = noting(scene);
    const { id } = await scene.queue.submit(task, { tenant: 'ada', number: 1 });
    const payload = { tenant: 'bob', number: 1 };

    const asked = await scene.queue.resubmit(id, { payload, task });
    const kept = await scene.queue.resubmit(id, { payload });

    expect(await scene.queue.get(asked?.id ?? '')).toMatchObject({ fairnessKey: 'bob' });
    expect(await scene.queue.get(kept?.id ?? '')).toMatchObject({ fairnessKey: 'ada' });
  });

  it.each([
    ['an empty text', '', 'fairness answered text that cannot be a key: it must not be empty.'],
    ['a number', 5, 'fairness answered number that cannot be a key: it must be text'],
    ['null', null, 'fairness answered object that cannot be a key'],
    ['a promise', Promise.resolve('ada'), 'fairness answered a promise that cannot be a key'],
    ['a long text', 'x'.repeat(513), 'must be at most 512 bytes'],
  ])('rejects the submission when it answers %s', async (_, answer, message) => {
    const { queue, broker } = setScene();
    const task = defineTask({ name: 'mail', fairness: () => answer as never, run: async (_: Mail) => {} });

    const rejected = queue.submitMany(task, [{ number: 1 }]);

    await expect(rejected).rejects.toMatchObject({
      code: 'INVALID_FAIRNESS_KEY',
      message: expect.stringContaining(`payloads[0]: `),
    });
    await expect(queue.submit(task, { number: 1 })).rejects.toThrow(message);
    expect(await broker.audit()).toMatchObject({ created: 0 });
  });

  it('rejects the submission when it throws, with what it threw as the cause', async () => {
    const { queue, broker } = setScene();
    const cause = new Error('no tenant');
    const fairness = (): never => {
      throw cause;
    };
    const task = defineTask({ name: 'mail', fairness, run: async (_: Mail) => {} });

    await expect(queue.submit(task, { number: 1 })).rejects.toMatchObject({
      code: 'INVALID_FAIRNESS_KEY',
      cause,
    });
    expect(await broker.audit()).toMatchObject({ created: 0 });
  });

  it.each([
    ['tenant', '"tenant"'],
    [async (payload: Mail) => payload.tenant, 'function '],
    [function* () {}, 'function '],
  ])('has to be a synchronous function, and not %o', (fairness, shown) => {
    expect(() => defineTask({ name: 'mail', fairness: fairness as never, run: async () => {} })).toThrow(
      `fairness must be a synchronous function, got ${shown}`,
    );
  });

  it.each([
    ['answers', ({ payload }: { payload: Mail }) => payload.tenant, 'ada'],
    ['throws', () => null as never, undefined],
  ])(
    'of a task of dead letters is asked for each of them, and changes no end when it %s',
    async (_, fairness, key) => {
      const { queue, clock, startWorker } = setScene();
      const bury = defineTask({ name: 'bury', fairness, run: async () => {} });
      const task = defineTask({
        name: 'mail',
        retry: { maxAttempts: 1 },
        deadLetter: { task: bury },
        run: async (_: Mail) => {
          throw new Error('no');
        },
      });
      const { id } = await queue.submit(task, { tenant: 'ada', number: 1 });
      startWorker({ tasks: [task] });
      await clock.advance('1s');

      const { runs } = await queue.list({ state: 'submitted' });

      expect(await queue.get(id)).toMatchObject({ state: 'failed' });
      expect(runs.map(({ lane, fairnessKey }) => [lane, fairnessKey])).toEqual([['bury@1', key]]);
    },
  );
});
