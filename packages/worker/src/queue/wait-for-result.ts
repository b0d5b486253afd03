import type { Clock, Duration, Policy } from '@retry/core';
import { computeDelay, definePolicy } from '@retry/core';
import type { Broker, Run } from '@retry/core/broker';
import { isEnd } from '@retry/core/lifecycle';
import { RunFailedError } from '../errors.ts';
import { readDuration } from '../read-duration.ts';
import { sleep } from '../sleep.ts';

/** How long to wait for a result. */
export interface WaitForResultOptions {
  /** @default 'Infinity' */
  readonly timeout?: Duration;
  /** Ends the waiting at once; it then rejects with `signal.reason`. The run goes on. */
  readonly signal?: AbortSignal;
}

/** Waits for a run's result. */
export type WaitForResult = (id: string, options?: WaitForResultOptions) => Promise<unknown>;

/** How often to look: often at first, once a second in the end. */
const LOOKS: Policy = definePolicy({
  backoff: { type: 'exponential', base: 5, factor: 1.5 },
  jitter: 'equal',
  maxDelay: '1s',
});

/**
 * The result of a run, once it has completed.
 *
 * @throws {RunFailedError} when it ends otherwise; its cause is the run's last error
 */
export async function waitForResult(
  { broker, clock }: { readonly broker: Broker; readonly clock: Clock },
  id: string,
  { timeout = Infinity, signal }: WaitForResultOptions = {},
): Promise<unknown> {
  const deadlineAt = clock.now() + readDuration('timeout', timeout);
  for (let look = 1; ; look += 1) {
    signal?.throwIfAborted();
    const [run] = await broker.get([id]);
    if (run === undefined) throw new RunFailedError(id, 'unknown');
    if (isEnd(run.state)) return resultOf(run);
    const delayMs = Math.min(computeDelay(LOOKS, look, { random: Math.random }), deadlineAt - clock.now());
    if (delayMs <= 0) throw new RunFailedError(id, `still ${run.state}`);
    await sleep(clock, delayMs, signal);
  }
}

function resultOf(run: Run): unknown {
  if (run.state === 'completed') return run.result === undefined ? undefined : JSON.parse(run.result);
  throw new RunFailedError(run.id, run.state, { cause: run.errors.at(-1) });
}
