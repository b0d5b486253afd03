import type { Run } from '@retry/core/broker';
import type { CaseScene, SubmissionInput } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** JSON of 10 000 bytes: two of them are within 25 000, three are not. */
export const LONG: string = JSON.stringify('x'.repeat(9_998));

/** Starts a run and completes it. */
export async function complete(
  scene: CaseScene,
  submission: SubmissionInput,
  result = '"done"',
): Promise<void> {
  await end(scene, submission, 'complete', { result });
}

/** Starts a run and ends it by this event. */
export async function end(
  scene: CaseScene,
  submission: SubmissionInput,
  type: 'complete' | 'fail' | 'drop' | 'stall',
  more: Partial<Run> = {},
): Promise<void> {
  const { lane = 'l' } = submission;
  const run = await scene.start(submission, { lanes: [lane] });
  await scene.settle(settlementOf(run, { type, at: await scene.now() }, more));
}

/** The ids of those of these runs that are kept. */
export async function keptOf(scene: CaseScene, ...ids: readonly string[]): Promise<string> {
  return (await scene.broker.get(ids)).map((run) => run?.id ?? '').join('');
}

/** The ids of those of these runs of which something was deleted. */
export async function trimmedOf(scene: CaseScene, ...ids: readonly string[]): Promise<readonly string[]> {
  const runs = await scene.broker.get(ids);
  return ids.filter((_, index) => runs[index]?.trimmed !== undefined);
}

/** Lets time pass until something of each of these runs is deleted. */
export async function untilTrimmed(scene: CaseScene, ...ids: readonly string[]): Promise<void> {
  await until(scene, async () => (await trimmedOf(scene, ...ids)).length === ids.length);
}

/** Lets time pass, with empty exchanges: each broker decides when it applies retention. */
export async function until(scene: CaseScene, holds: () => Promise<boolean>): Promise<void> {
  await wait(scene, holds, async () => void (await scene.broker.exchange({})));
}

/** Lets time pass, with the looks of a cleaner. */
export async function untilCleaned(scene: CaseScene, holds: () => Promise<boolean>): Promise<void> {
  await wait(scene, holds, async () => void (await scene.broker.findExpired(10)));
}

async function wait(
  scene: CaseScene,
  holds: () => Promise<boolean>,
  step: () => Promise<void>,
): Promise<void> {
  for (let count = 0; count < 200; count += 1) {
    if (await holds()) return;
    await step();
    await scene.advance(20);
  }
  throw new Error('retention has not been applied');
}
