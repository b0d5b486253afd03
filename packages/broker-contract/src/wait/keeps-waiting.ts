import type { WaitOptions } from '@retry/core/broker';
import type { CaseScene } from '../case-scene.ts';
import { LONG_MS, PASS_MS } from '../case-scene.ts';

/** A wait, and a call that is no reason to end it. */
interface UnrelatedCall {
  readonly wait: (options: WaitOptions) => Promise<void>;
  /** Prepares a round, before its wait begins, and returns the call. Each round needs ids of its own. */
  readonly prepare: (round: number) => Promise<() => Promise<unknown>>;
}

/** More waits than a broker ends early in a row. */
export const ROUNDS = 5;

/** A wait before the one that counts: a broker may end it once its subscription is open. */
const FIRST_WAIT_MS = 50;

/**
 * Whether a wait outlasts a call. A broker may end a wait early at times, as when it polls, or when a wake signal arrives that was
 * sent before the wait: between two nodes of a Redis cluster it comes after the answer to the call that sent it. So it is enough
 * that one wait of several lasts.
 */
export async function keepsWaiting(scene: CaseScene, { wait, prepare }: UnrelatedCall): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const call = await prepare(round);
    const first = wait({ timeoutMs: FIRST_WAIT_MS });
    await scene.advance(FIRST_WAIT_MS);
    await first;
    if (await outlasts(scene, wait, call)) return true;
  }
  return false;
}

async function outlasts(
  scene: CaseScene,
  wait: UnrelatedCall['wait'],
  call: () => Promise<unknown>,
): Promise<boolean> {
  let isWaiting = true;
  const stop = new AbortController();
  const waiting = wait({ timeoutMs: LONG_MS, signal: stop.signal }).then(() => {
    isWaiting = false;
  });

  await call();
  await scene.advance(PASS_MS);
  const hasLasted = isWaiting;
  stop.abort();

  await waiting;
  return hasLasted;
}
