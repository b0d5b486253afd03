import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { onExit } from 'signal-exit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listenToSignals } from '../../packages/worker/src/session/process-signals.ts';
import { untilStopped } from './scene.ts';

const SIGNAL = 'SIGUSR2';

const task = defineTask({ name: 'long', run: untilStopped });

/** A listener of the program: no worker raises the signal again. */
const handle = (): void => {};

const warnings: Error[] = [];
const note = (warning: Error): void => void warnings.push(warning);

beforeEach(() => {
  process.on(SIGNAL, handle).on('warning', note);
});

afterEach(() => {
  process.removeListener(SIGNAL, handle).removeListener('warning', note);
  warnings.splice(0);
});

function startWorkers(count: number) {
  const broker = createMemoryBroker();
  const workers = Array.from({ length: count }, () =>
    createWorker({ broker, tasks: [task], concurrency: 1, prefetch: 0, signals: [SIGNAL] }),
  );
  for (const worker of workers) worker.start();
  return { broker, queue: createQueue({ broker }), workers };
}

/** Listeners that are not the program's. */
function countListeners(): number {
  return process.listenerCount(SIGNAL) - 1;
}

describe('the workers of a process', () => {
  it('listen to a signal by one listener, which goes with the last of them', async () => {
    const { workers } = startWorkers(11);
    const [first, ...others] = workers;

    const ofEleven = countListeners();
    await Promise.all(others.map((worker) => worker.stop()));
    const ofOne = countListeners();
    await first?.stop();

    expect([ofEleven, ofOne, countListeners()]).toEqual([1, 1, 0]);
    expect(warnings).toEqual([]);
  });

  it('are all stopped by a signal, and by a second one immediately', async () => {
    const { broker, queue, workers } = startWorkers(3);
    const started = workers.map((worker) => new Promise((resolve) => worker.on('started', resolve)));
    await queue.submitMany(task, [null, null, null]);
    await Promise.all(started);
    const stopped = Promise.all(workers.map((worker) => worker.stopped));

    process.emit(SIGNAL, SIGNAL);
    const soon = await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 50, 'running'))]);
    process.emit(SIGNAL, SIGNAL);
    await stopped;

    expect(soon).toBe('running');
    expect(await broker.audit()).toMatchObject({ submitted: 3, started: 0, unbalanced: 0 });
  });

  it('leave a signal to the program that alone listens to it, beside signal-exit, which listens to others', () => {
    vi.useFakeTimers();
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const unload = onExit(() => {});
    process.on('SIGCONT', handle);
    const listening = listenToSignals(['SIGCONT'], () => {});

    process.emit('SIGCONT', 'SIGCONT');
    listening.end();
    vi.advanceTimersByTime(10_000);
    const kills = kill.mock.calls;
    unload();
    process.removeListener('SIGCONT', handle);
    vi.restoreAllMocks();
    vi.useRealTimers();

    expect(kills).toEqual([]);
  });
});
