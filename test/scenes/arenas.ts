import { definePolicy } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { retry } from '@retry/inprocess';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { WorkerOptions } from '@retry/worker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import type { Arena, Ending, Played, Scene } from './scene.ts';
import { nameOf, random } from './scene.ts';

/** Longer than any scene takes, in its own time. */
const LONG = '1h';

/** One process, on a virtual clock. */
export const inProcess: Arena = {
  play: async ({ policy, act }) => {
    const clock = createTestClock();
    const startedAt: number[] = [];
    const delays: number[] = [];
    const reported: string[] = [];
    let ending: Pick<Ending, 'end' | 'error'> = { end: 'unfinished' };
    const call = retry(
      ({ attempt, signal }) => {
        startedAt.push(clock.now());
        return act({ attempt, signal });
      },
      policy,
      {
        clock,
        random,
        onRetry: ({ delayMs }) => void delays.push(delayMs),
        reportError: (error) => reported.push(nameOf(error)),
        onGiveUp: ({ reason, error }) => {
          ending = { end: reason, error: nameOf(error) };
        },
      },
    );
    // How it fails, onGiveUp says.
    void call.then(
      () => {
        ending = { end: 'completed' };
      },
      () => {},
    );
    await clock.advance(LONG);
    return {
      ending: { attempts: startedAt.length, delays, ...ending, ...unlessNone(reported) },
      firstWaitMs: startedAt[0] ?? Infinity,
    };
  },
};

/** Who has the policy: the task, or each submission. */
export type PolicyOf = 'task' | 'submission';

/** A worker over the memory broker, on a virtual clock. */
export function inMemory(policyOf: PolicyOf): Arena {
  return {
    play: async (scene) => {
      const clock = createTestClock();
      const broker = createMemoryBroker({ clock });
      const played = playOn(broker, scene, { clock, policyOf });
      await clock.advance(LONG);
      return played;
    },
  };
}

/** A worker over a broker with a real server, in real time. */
export function onServer(connect: () => Promise<Broker>, policyOf: PolicyOf = 'task'): Arena {
  return {
    play: async (scene) => {
      const broker = await connect();
      // A broker keeps its connections until it is closed, and a server allows a limited number of them.
      return await playOn(broker, scene, { policyOf }).finally(broker.close);
    },
  };
}

async function playOn(
  broker: Broker,
  { name, policy, act }: Scene,
  { policyOf, ...options }: Pick<WorkerOptions, 'clock'> & { readonly policyOf: PolicyOf },
): Promise<Played> {
  let attempts = 0;
  const retry = definePolicy(policy);
  const task = defineTask({
    name: name.replaceAll(/\W+/g, '-'),
    ...(policyOf === 'task' && { retry }),
    run: async (_: null, { attempt, signal }) => {
      attempts += 1;
      await act({ attempt, signal });
    },
  });
  const worker = createWorker({ broker, tasks: [task], random, signals: [], ...options });
  const delays: number[] = [];
  const reported: string[] = [];
  worker.on('retried', ({ delayMs }) => void delays.push(delayMs));
  worker.on('error', ({ error }) => void reported.push(nameOf(error)));
  const over = new Promise<Pick<Ending, 'end' | 'error'>>((resolve) => {
    worker.on('completed', () => resolve({ end: 'completed' }));
    worker.on('failed', ({ reason, error }) => resolve({ end: reason, error: nameOf(error) }));
  });
  const queue = createQueue({ broker, ...options });
  const { id } = await queue.submit(task, null, policyOf === 'submission' ? { retry } : {});
  const [submitted] = await broker.get([id]);
  worker.start();
  const ending = await over;
  const [run] = await broker.get([id]);
  await worker.stop();
  return {
    ending: { attempts, delays, ...ending, ...unlessNone(reported) },
    firstWaitMs: (run?.firstStartedAt ?? Infinity) - (submitted?.submittedAt ?? submitted?.runAt ?? 0),
  };
}

function unlessNone(reported: readonly string[]): Pick<Ending, 'reported'> {
  return reported.length > 0 ? { reported } : {};
}
