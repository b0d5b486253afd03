import { constants } from 'node:os';
import type { SignalName } from './worker-options.ts';

/**
 * How long a process may still do things of its own after its last worker was stopped by a signal, in ms. A process that
 * has nothing left to do ends sooner.
 */
const FAREWELL_MS = 1_000;

/** A process that is still there so long after the signal is one that it does not end, in ms. */
const SURVIVED_MS = 100;

/** The listeners of all workers in this process. */
const OURS = new Set<unknown>();

/** The signals that a worker is stopped by. */
export interface ProcessSignals {
  /** Takes the listeners back; raises the signal again where no listener but workers' handled it. */
  readonly end: () => void;
}

/**
 * Listens to signals of the process until `end`.
 *
 * A listener takes away what a signal does by default, which is to end the process. So the last worker that has stopped
 * raises the signal once more when workers were its only listeners: nothing else would end the process then, and its exit
 * status says which signal it was (128 + number, as shells show it).
 */
export function listenToSignals(
  signals: readonly SignalName[],
  onSignal: (signal: SignalName) => void,
): ProcessSignals {
  const raised = new Set<SignalName>();
  const listener = (signal: SignalName): void => {
    if (process.rawListeners(signal).every((known) => OURS.has(known))) raised.add(signal);
    else raised.delete(signal);
    onSignal(signal);
  };
  OURS.add(listener);
  // First, as one that was added by `once` is gone as soon as it has been called.
  for (const signal of new Set(signals)) process.prependListener(signal as NodeJS.Signals, listener); // their names were checked with the options
  return {
    end: () => {
      for (const signal of new Set(signals)) process.removeListener(signal, listener);
      OURS.delete(listener);
      for (const signal of raised) raiseAgain(signal);
      raised.clear();
    },
  };
}

/** As soon as there is nothing left to do, or a moment later. */
function raiseAgain(signal: SignalName): void {
  const raise = (): void => {
    if (process.listenerCount(signal) > 0) return;
    process.kill(process.pid, signal);
    setTimeout(exit, SURVIVED_MS);
  };
  // Signals that nothing listens to do not end process 1, which in a container is the program itself.
  const exit = (): void => {
    if (process.listenerCount(signal) === 0) process.exit(statusOf(signal));
  };
  // In a turn of its own: other listeners of beforeExit have something to do, too.
  process.once('beforeExit', () => setImmediate(raise));
  setTimeout(raise, FAREWELL_MS).unref();
}

/** The exit status of what a signal ended, as shells show it. */
function statusOf(signal: SignalName): number {
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0); // their names were checked with the options
}
