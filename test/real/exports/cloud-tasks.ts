import type { PolicyInput } from '@retry/core';
import { load, type Modules, report, versioned } from '../installed.ts';
import { compareDelays, type Exported, exportedTo } from './compare.ts';

const EXPONENTIAL = { type: 'exponential', base: '1s' } as const;

const POLICIES: readonly PolicyInput[] = [
  { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'none' },
  { maxAttempts: 9, backoff: EXPONENTIAL, jitter: 'none', maxDelay: '10s' },
  { maxAttempts: 12, backoff: { ...EXPONENTIAL, base: 100 }, jitter: 'none', maxDelay: '1h' },
  { maxAttempts: 4, backoff: { type: 'constant', base: '7s' }, jitter: 'none', maxDelay: '7s' },
  { maxAttempts: 3, backoff: { ...EXPONENTIAL, base: '1m' }, jitter: 'none', maxDelay: '1h' },
  { maxAttempts: 2, backoff: { ...EXPONENTIAL, base: 250 }, jitter: 'none' },
  { maxAttempts: 6, backoff: { ...EXPONENTIAL, base: 33.5 }, jitter: 'none', maxDelay: '1m' },
  { maxAttempts: 1 },
  { maxAttempts: 8, backoff: { ...EXPONENTIAL, base: '3s' }, jitter: 'none', maxDelay: '30s' },
  { maxAttempts: 17, backoff: { ...EXPONENTIAL, base: 10 }, jitter: 'none', maxDelay: '1h' },
];

/** The emulator of Cloud Tasks that Google has in `firebase-tools`: its queue, with a clock of ours in place of the time. */
export async function checkCloudTasks(): Promise<void> {
  const { TaskQueue } = await load('firebase-tools/lib/emulator/taskQueue.js');
  const { now } = Date;
  const { fetch } = globalThis;
  try {
    const found: string[] = [];
    const all = exportedTo('cloud-tasks', POLICIES);
    for (const given of all) {
      found.push(...compareDelays(given, await record(TaskQueue, given), { belowMs: 1, aboveMs: 1 }));
    }
    report(`${all.length} policies in the emulator of ${versioned('firebase-tools')}`, found);
  } finally {
    Date.now = now;
    globalThis.fetch = fetch;
  }
}

/** Returns the delays of a task that always fails. */
async function record(TaskQueue: Modules, { options }: Exported): Promise<readonly number[]> {
  const attemptsAt: number[] = [];
  let timeMs = 0;
  Date.now = () => timeMs;
  globalThis.fetch = async () => {
    attemptsAt.push(timeMs);
    return new Response('down', { status: 503 });
  };
  const queue = new TaskQueue('queue', configOf(options));
  queue.setTokens(1);
  queue.enqueue({ name: 'task', httpRequest: { url: 'http://task.invalid', headers: {}, body: {} } });
  queue.dispatchTasks();
  while (queue.isActive()) {
    const [backoffMs, lastAt] = await process(queue);
    // One millisecond before its time, nothing may run.
    timeMs = Math.max(lastAt + Math.ceil(backoffMs) - 1, timeMs);
    await process(queue);
    timeMs += 1;
  }
  const delays = attemptsAt.slice(1).map((at, index) => at - (attemptsAt[index] ?? 0));
  // `maxAttempts` are all attempts by the reference of the service; its emulator makes one more.
  return delays.slice(0, -1);
}

/** Lets the queue do what is due, and returns the delay that it chose for its task and when that ran last. */
async function process(queue: Modules): Promise<readonly [backoffMs: number, lastAt: number]> {
  queue.processDispatch();
  await new Promise(setImmediate);
  const { currentBackoff = 0, lastRunTime } = queue.getDispatch()[0]?.metadata ?? {};
  return [currentBackoff * 1_000, lastRunTime ?? 0];
}

/** As a queue is created there: the lengths of time are numbers of seconds. */
function configOf({ maxAttempts, minBackoff, maxBackoff, maxDoublings }: Exported['options']): object {
  return {
    retryConfig: {
      maxAttempts,
      maxRetrySeconds: null,
      maxDoublings,
      minBackoffSeconds: Number.parseFloat(minBackoff),
      maxBackoffSeconds: Number.parseFloat(maxBackoff),
    },
    rateLimits: { maxConcurrentDispatches: 1, maxDispatchesPerSecond: 1 },
  };
}
