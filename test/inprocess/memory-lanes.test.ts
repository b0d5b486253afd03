import { movedRun } from '@retry/core/broker/kit';
import { expect, it } from 'vitest';
import { moveRun } from '../../packages/inprocess/src/broker/record/move-run.ts';
import { createStore } from '../../packages/inprocess/src/broker/record/store.ts';
import { submitRun } from '../../packages/inprocess/src/broker/verbs/submit.ts';
import { waitFor } from '../../packages/inprocess/src/broker/wake/waits.ts';
import { createFakeClock } from './fake-clock.ts';

const UNBOUNDED = { keepKeysMs: 0, keepForMs: Infinity, keepBytes: Infinity, keepDeadForMs: Infinity };

it('the memory broker keeps a lane no longer than its runs and the calls that wait for them', async () => {
  const store = createStore({ clock: createFakeClock(), keepCount: 2, ...UNBOUNDED });
  const stop = new AbortController();
  const wait = waitFor(store, { lanes: ['waited-for'], timeoutMs: 1_000, signal: stop.signal });

  for (const id of ['a', 'b', 'c', 'd']) {
    submitRun(store, { id, lane: `lane-${id}`, payload: '1' }, 0);
    const entry = store.entries.get(id);
    if (entry !== undefined) moveRun(store, entry, { next: movedRun(entry.run, { type: 'cancel', at: 0 }) });
  }

  expect([...store.lanes.keys()]).toEqual(['waited-for', 'lane-c', 'lane-d']);
  stop.abort();
  await wait;
  expect([...store.lanes.keys()]).toEqual(['lane-c', 'lane-d']);
});
