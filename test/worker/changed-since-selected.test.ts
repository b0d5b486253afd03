import type { Broker } from '@retry/core/broker';
import { redriveRuns } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { Queue } from '@retry/worker';
import { createQueue, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import { expect, it } from 'vitest';
import { settlementOf } from '../support/settle.ts';

const task = defineTask({ name: 'mail', retry: { maxAttempts: 2 }, run: () => {} });

const CALLS: Readonly<Record<string, (queue: Queue) => Promise<readonly string[]>>> = {
  'deadLetters.discard of a task': ({ deadLetters }) => deadLetters.discard({ task }),
  'deadLetters.discard of ids': ({ deadLetters }) => deadLetters.discard({ ids: ['a'] }),
  'deadLetters.redrive of a task': ({ deadLetters }) => deadLetters.redrive({ task }),
  'deadLetters.redrive of ids that keeps attempts': ({ deadLetters }) =>
    deadLetters.redrive({ task, ids: ['a'], keepAttempts: true }),
  'forget of ids': ({ forget }) => forget({ ids: ['a'] }),
  'forget of a state': ({ forget }) => forget({ state: 'failed' }),
};

/** Starts the next run of the task, and ends it. */
async function runOnce(broker: Broker, type: 'complete' | 'fail', requestId: string): Promise<void> {
  const claim = { worker: 'w', requestId, limit: 1, lanes: new Map([[task.lane, 1]]), leaseMs: 60_000 };
  const { claimed, now } = await broker.exchange({ claim });
  await broker.exchange({ settle: claimed.map(({ run }) => settlementOf(run, { type, at: now })) });
}

/** A queue of a run that has failed once, which another operator redrives, so that it ends anew, once it is selected. */
async function openRedriven(end: 'complete' | 'fail', afterMs: number) {
  const clock = createTestClock();
  const broker = createMemoryBroker({ clock });
  await broker.submit([{ id: 'a', lane: task.lane, payload: '1' }]);
  await runOnce(broker, 'fail', 'first');
  let isRedriven = false;
  const get: Broker['get'] = async (ids: readonly string[], options?: object) => {
    if (options !== undefined && 'answer' in options && !isRedriven) {
      isRedriven = true;
      await clock.advance(afterMs);
      await redriveRuns(broker, ['a'], { keepAttempts: true });
      await runOnce(broker, end, 'second');
    }
    return broker.get(ids, options);
  };
  return { broker, queue: createQueue({ broker: { ...broker, get }, clock }) };
}

it.each(
  Object.keys(CALLS).flatMap((call) =>
    (['complete', 'fail'] as const).flatMap((end) =>
      [0, 5_000].map((afterMs) => [call, end, afterMs] as const),
    ),
  ),
)(
  '%s leaves a run that another operator has redriven since it was selected: %s, %d ms later',
  async (call, end, afterMs) => {
    const { broker, queue } = await openRedriven(end, afterMs);

    const changed = await CALLS[call]?.(queue);

    expect(changed).toEqual([]);
    expect(await broker.get(['a'])).toMatchObject([
      { state: end === 'fail' ? 'failed' : 'completed', failures: end === 'fail' ? 2 : 1, redrives: 1 },
    ]);
  },
);
