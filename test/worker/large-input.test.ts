import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../support/wrong-input.ts';

/** It takes no memory; a copy of it ends the process, and to go through it takes a minute. */
const sparse = (): never[] => new Array<never>(2 ** 32 - 1);

describe('a list of 2³² items is refused before it is gone through', () => {
  const broker = createMemoryBroker();
  const queue = createQueue({ broker });
  const task = defineTask({ name: 'any', run: () => {} });

  it.each<[string, () => unknown]>([
    ['payloads', () => queue.submitMany(task, sparse())],
    ['ids', () => queue.deadLetters.redrive({ ids: sparse() })],
    ['states', () => queue.deadLetters.list({ state: sparse() as never })],
    ['states of ended runs', () => queue.forget({ state: sparse() })],
    ['tasks of a worker', () => createWorker({ broker, tasks: sparse() })],
    ['tasks of a plan', () => queue.deadLetters.plan({ redrive: {}, tasks: sparse() } as never)],
    ['matchers of a submission', () => queue.submit(task, null, { retry: { retryOn: sparse() } })],
    ['matchers of a task', () => defineTask({ name: 'other', run: () => {}, retry: { stopOn: sparse() } })],
  ])('as %s', async (_name, give) => {
    expect((await refusalOf(async () => give())).problems.length).toBeGreaterThan(0);
  });
});
