import type { LaneConcurrency, Run } from '@retry/core/broker';
import type { CaseScene, ClaimInput } from '../case-scene.ts';
import { LONG_MS, PASS_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';
import { ROUNDS } from '../wait/keeps-waiting.ts';

/** A claim by a worker whose task has this limit in lane `l`. */
export function limitedTo(limit: number, input: ClaimInput & Partial<LaneConcurrency> = {}): ClaimInput {
  const { whenFull = 'wait', ...others } = input;
  return { ...others, concurrency: new Map([['l', { limit, whenFull }]]) };
}

/** Completes a claimed run, which frees its slots. */
export async function complete(scene: CaseScene, run: Run | undefined): Promise<void> {
  if (run === undefined) throw new Error('a run must have been claimed');
  await scene.settle(settlementOf(run, { type: 'complete', at: await scene.now() }));
}

/** Waits for work in lane `l`, whose only slot a run has: a wait lasts until the run completes, unless it ends early. */
export async function waitForSlotOf(scene: CaseScene, run: Run | undefined): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    let isOver = false;
    const waiting = scene.broker.wait({ lanes: ['l'], timeoutMs: LONG_MS }).then(() => {
      isOver = true;
    });
    await scene.advance(PASS_MS);
    if (isOver) continue;

    await complete(scene, run);

    return waiting;
  }
  throw new Error('a wait must go on while no slot is free');
}
