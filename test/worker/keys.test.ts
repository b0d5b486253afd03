import type { Broker, Submission } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

const mail = defineTask({ name: 'mail', run: (_: unknown) => 'mailed' });
const bill = defineTask({ name: 'bill', run: (_: unknown) => 'billed' });

/** A queue and everything that its broker is asked to keep. */
function watchedQueue() {
  const broker = createMemoryBroker();
  const sent: Submission[] = [];
  const submit: Broker['submit'] = (submissions) => {
    sent.push(...submissions);
    return broker.submit(submissions);
  };
  return { queue: createQueue({ broker: { ...broker, submit } }), sent };
}

describe('a key', () => {
  it('belongs to its task: the same key of another task is another run', async () => {
    const { queue } = setScene();

    const submitted = [
      await queue.submit(mail, 1, { key: 'order-7' }),
      await queue.submit(bill, 2, { key: 'order-7' }),
      await queue.submit(mail, 3, { key: 'order-7' }),
    ];

    expect(submitted).toEqual([
      { id: 'mail@order-7', isNew: true },
      { id: 'bill@order-7', isNew: true },
      { id: 'mail@order-7', isNew: false },
    ]);
    expect(await queue.get('bill@order-7')).toMatchObject({ lane: 'bill@1', payload: 2 });
  });

  it('is the same over the versions of its task', async () => {
    const { queue } = setScene();
    const newer = defineTask({ name: 'mail', version: '2', run: (_: unknown) => {} });

    await queue.submit(mail, 1, { key: 'order-7' });

    expect(await queue.submit(newer, 2, { key: 'order-7' })).toEqual({ id: 'mail@order-7', isNew: false });
  });

  it.each(['a@b', '@', 'é', ' ', '\n', '👍'])('of %j stays unchanged', async (key) => {
    const { queue } = setScene();

    const { id } = await queue.submit(mail, 1, { key });

    expect(id).toBe(`mail@${key}`);
    expect(await queue.get(id)).toMatchObject({ id, state: 'submitted' });
  });

  it('marks the submission as keyed, and a run without a key is not', async () => {
    const { queue, sent } = watchedQueue();

    await queue.submit(mail, 1, { key: 'order-7' });
    await queue.submit(mail, 2, { key: undefined });
    await queue.submitMany(mail, [3]);

    expect(sent.map(({ keyed }) => keyed)).toEqual([true, undefined, undefined]);
  });
});

describe('a submission that is refused for good', () => {
  it('rejects its own caller only, whose error names no other key', async () => {
    const { broker, clock } = setScene();
    const submit: Broker['submit'] = (submissions) => {
      const bad = submissions.find(({ payload }) => payload === '13');
      if (bad !== undefined)
        return Promise.reject(new RangeError(`refused: ${submissions.map(({ id }) => id).join()}`));
      return broker.submit(submissions);
    };
    const queue = createQueue({ broker: { ...broker, submit }, clock });

    const answers = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) => queue.submit(mail, index, { key: `key-${index}` })),
    );

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(99);
    expect(answers[13]).toMatchObject({ reason: { message: 'refused: mail@key-13' } });
  });

  it('that the broker had stored all the same is new', async () => {
    const { broker, clock } = setScene();
    let calls = 0;
    const submit: Broker['submit'] = async (submissions) => {
      calls += 1;
      const answers = await broker.submit(submissions);
      if (calls === 1) throw new RangeError('half of it was refused');
      return answers;
    };
    const queue = createQueue({ broker: { ...broker, submit }, clock });

    const submitted = await Promise.all([queue.submit(mail, 1), queue.submit(mail, 2)]);

    expect(submitted.map(({ isNew }) => isNew)).toEqual([true, true]);
  });
});

describe('a cancel with a bad id', () => {
  it('does not affect the others of its turn', async () => {
    const { queue } = setScene();
    const { id } = await queue.submit(mail, 1);

    const answers = await Promise.allSettled([queue.cancel('\ud800'), queue.cancel(id), queue.cancel('')]);

    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    expect(await queue.get(id)).toMatchObject({ state: 'cancelled' });
  });
});
