import { constants } from 'node:os';
import type { Report } from './report.ts';

/** The signals by which people and supervisors end a program. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGALRM'] as const;

/** The signals that a command may have a use for, and that end it otherwise. With a listener Node opens no debugger for SIGUSR1. */
const PASSED_ON = ['SIGUSR1', 'SIGUSR2'] as const;

/** Watches the signals that this process gets. */
export interface SignalWatch {
  /** The first signal; `undefined`: none yet. */
  readonly first: () => NodeJS.Signals | undefined;
  /** Calls the listener for each signal. @returns a function that ends this */
  readonly each: (listener: (signal: NodeJS.Signals) => void) => () => void;
  /** Gives the signals their former effect again. */
  readonly close: () => void;
}

/** Calls the listener for each signal that says nothing about this process itself. @returns a function that ends this */
export function watchPassedOn(listener: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of PASSED_ON) process.on(signal, listener);
  return () => {
    for (const signal of PASSED_ON) process.off(signal, listener);
  };
}

/** Begins to watch signals; until `close`, they do not end this process. */
export function watchSignals(): SignalWatch {
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  let first: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    first ??= signal;
    for (const listener of listeners) listener(signal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    first: () => first,
    each: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}

/** Returns the exit status by which shells show the end by a signal: 128 and its number. */
export function statusOfSignal(signal: string): number {
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0); // an unknown name has no number
}

/** Signals by which this process can end as its command did; others would write a core dump, or mean something to Node. */
const ENDING: readonly string[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGALRM', 'SIGKILL'];

/** Returns how this process ends by a signal: as a report has it. */
export function endBySignal(signal: string): Pick<Report, 'exitCode' | 'signal'> {
  return { exitCode: statusOfSignal(signal), ...(ENDING.includes(signal) && { signal }) };
}
