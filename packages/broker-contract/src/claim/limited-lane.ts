import type { ClaimedRun, LaneConcurrency } from '@retry/core/broker';
import type { CaseScene, ClaimInput } from '../case-scene.ts';
import { LONG_MS, PASS_MS } from '../case-scene.ts';
import { ROUNDS } from '../wait/keeps-waiting.ts';

/** A claim by a worker whose task has this limit in lane `l`. */
export function limitedTo(limit: number, input: ClaimInput & Partial<LaneConcurrency> = {}): ClaimInput {
  const { whenFull = 'wait', ...others } = input;
  return { ...others, concurrency: new Map([['l', { limit, whenFull }]]) };
}

/** Waits for work in lane `l`, whose only slot a run has: a wait lasts until the run completes, unless it ends early. */
export async function waitForSlotOf(scene: CaseScene, run: ClaimedRun | undefined): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    let isOver = false;
    const waiting = scene.broker.wait({ lanes: ['l'], timeoutMs: LONG_MS }).then(() => {
      isOver = true;
    });
    await scene.advance(PASS_MS);
    if (isOver) continue;

    await scene.settleNow('complete', run);

    return waiting;
  }
  throw new Error('a wait must go on while no slot is free');
}
