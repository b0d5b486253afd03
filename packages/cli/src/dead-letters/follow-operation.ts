import type { Operation } from '@retry/core/broker';
import type { CliEnvironment } from '../environment.ts';
import type { SignalWatch } from '../signals.ts';
import { watchSignals } from '../signals.ts';
import { openProgressLine } from '../terminal/progress-line.ts';

/** What is shown while an operation goes on. */
interface Progress {
  readonly title: string;
  readonly total: number;
  readonly isSilent: boolean;
}

/** Where it is shown, and what. */
interface Showing {
  readonly progress: Progress;
  readonly environment: CliEnvironment;
}

/** How far an operation was when it was left. */
export interface Followed {
  readonly operation: Operation;
  /** The signal after which it was not followed any further. */
  readonly signal?: NodeJS.Signals;
}

const POLL_MS = 100;

/**
 * Looks at an operation until it has ended, is paused, or a signal comes, and shows on a terminal how far it is.
 *
 * @param begun - what it was at first
 */
export async function followOperation(
  begun: Operation,
  look: () => Promise<Operation>,
  { progress: { title, total, isSilent }, environment }: Showing,
): Promise<Followed> {
  const line = openProgressLine(environment);
  const signals = watchSignals();
  let operation = begun;
  try {
    for (;;) {
      operation = (await unlessSignal(look(), signals)) ?? operation;
      const signal = signals.first();
      if (signal !== undefined) return { operation, signal };
      if (!isSilent) line.show(`${title} ${operation.done + operation.skipped} of ${total}`);
      if (operation.state !== 'running') return { operation };
      await unlessSignal(new Promise<void>((resolve) => setTimeout(resolve, POLL_MS)), signals);
    }
  } finally {
    line.clear();
    signals.close();
  }
}

/** Returns what the work does; `undefined` when a signal comes first. */
function unlessSignal<Value>(work: Promise<Value>, signals: SignalWatch): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const stop = signals.each(() => resolve(undefined));
    void work.then(resolve, reject).finally(stop);
  });
}
