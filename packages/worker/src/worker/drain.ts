import { sleep } from '../sleep.ts';
import type { Engine } from './engine.ts';
import type { WorkerSettings } from './options.ts';

/** How often to look whether everything is done, in ms. */
const LOOK_MS = 20;

/** Waits until everything is done, or the signal says that nobody works here any more. */
export async function drain(
  { broker, clock, pollMs }: WorkerSettings,
  engine: Engine,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { submitted, scheduled, started } = await broker.audit();
    if (engine.isIdle && submitted + scheduled + started === 0) return;
    await sleep(clock, Math.min(pollMs, LOOK_MS), signal);
  }
}
