import { constants } from 'node:os';
import type { SignalName } from '../options.ts';

/**
 * How long a process may still run its own code after a signal stopped its last worker, in ms. A process that has nothing
 * left to do ends earlier.
 */
const EXIT_DELAY_MS = 1_000;

/** A process that is still alive this long after the signal was raised again does not end by it, in ms. */
const SURVIVED_MS = 100;

/** What a worker does on a signal. `isHandled`: the process has other listeners of it than workers'. */
type OnSignal = (signal: SignalName, state: { readonly isHandled: boolean }) => void;

/** What the workers of this process do on each signal: one listener for all, since Node warns of a leak from the eleventh on. */
const LISTENING = new Map<SignalName, Set<OnSignal>>();

/** The signals that stop a worker. */
interface ProcessSignals {
  /** Listens no longer; raises the signal again if no other listeners than workers' handled it. */
  readonly end: () => void;
}

/**
 * Listens to signals of the process until `end`.
 *
 * A listener disables what a signal does by default, which is to end the process. The last worker that stops therefore
 * raises the signal again if workers were its only listeners: nothing else would end the process, and its exit status
 * then shows the signal (128 + number, as shells report it).
 */
export function listenToSignals(
  signals: readonly SignalName[],
  onSignal: (signal: SignalName) => void,
): ProcessSignals {
  const raised = new Set<SignalName>();
  const listener: OnSignal = (signal, { isHandled }) => {
    if (isHandled) raised.delete(signal);
    else raised.add(signal);
    onSignal(signal);
  };
  const removers = [...new Set(signals)].map((signal) => listen(signal, listener));
  return {
    end: () => {
      for (const remove of removers) remove();
      for (const signal of raised) raiseAgain(signal);
      raised.clear();
    },
  };
}

/** Adds the listener of a worker. @returns removes it; the last one of a signal leaves nothing on the process */
function listen(signal: SignalName, listener: OnSignal): () => void {
  const listeners = LISTENING.get(signal) ?? new Set();
  // Prepended, because a listener that was added by `once` is removed as soon as it has been called.
  if (listeners.size === 0) process.prependListener(signal as NodeJS.Signals, notifyWorkers); // their names were checked with the options
  LISTENING.set(signal, listeners.add(listener));
  return () => {
    if (!listeners.delete(listener) || listeners.size > 0) return;
    LISTENING.delete(signal);
    process.removeListener(signal, notifyWorkers);
  };
}

function notifyWorkers(signal: SignalName): void {
  const isHandled =
    process.rawListeners(signal).filter((known) => known !== notifyWorkers).length > countSignalExit(signal);
  for (const listener of [...(LISTENING.get(signal) ?? [])]) listener(signal, { isHandled });
}

/** The signals that the package signal-exit listens to, by its versions 3 and 4 on Linux; elsewhere to fewer of them. */
const OF_SIGNAL_EXIT: ReadonlySet<string> = new Set([
  ...[
    'SIGHUP',
    'SIGINT',
    'SIGTERM',
    'SIGALRM',
    'SIGABRT',
    'SIGVTALRM',
    'SIGXCPU',
    'SIGXFSZ',
    'SIGUSR2',
    'SIGTRAP',
  ],
  ...['SIGSYS', 'SIGQUIT', 'SIGIOT', 'SIGIO', 'SIGPOLL', 'SIGPWR', 'SIGSTKFLT', 'SIGUNUSED'],
]);

/**
 * How many listeners of a signal are of the package signal-exit, which many libraries bring along. They end the process if there are no
 * others: they handle nothing, and wait for us.
 */
function countSignalExit(signal: SignalName): number {
  if (!OF_SIGNAL_EXIT.has(signal)) return 0;
  const emitters: readonly unknown[] = [
    Reflect.get(globalThis, Symbol.for('signal-exit emitter')), // its version 4
    Reflect.get(process, '__signal_exit_emitter__'), // version 3
  ];
  const counts = emitters.map((emitter) => Number(Object(emitter).count));
  return counts.reduce((sum, count) => sum + (count > 0 ? count : 0), 0);
}

/** Raises the signal as soon as the process has nothing left to do, or after a second. */
function raiseAgain(signal: SignalName): void {
  const raise = (): void => {
    if (process.listenerCount(signal) > countSignalExit(signal)) return;
    process.kill(process.pid, signal);
    setTimeout(exit, SURVIVED_MS);
  };
  // Signals without listeners do not end process 1, which in a container is the program itself.
  const exit = (): void => {
    if (process.listenerCount(signal) <= countSignalExit(signal)) process.exit(exitStatus(signal));
  };
  // Other listeners of `beforeExit` may have begun to send something: a turn later the process is idle again once that is done.
  process.once('beforeExit', () => setImmediate(() => process.once('beforeExit', raise)));
  setTimeout(raise, EXIT_DELAY_MS).unref();
}

/** The exit status of a process that a signal ended, as shells report it. */
function exitStatus(signal: SignalName): number {
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0); // their names were checked with the options
}
