import type { Run } from '@retry/core/broker';
import type { RunEvent } from '@retry/core/lifecycle';
import { equal } from '../assertions.ts';
import type { CaseScene, SubmissionInput } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Submissions whose fairness key is the first letter of their id. */
export function keyed(...ids: readonly string[]): readonly SubmissionInput[] {
  return ids.map((id) => ({ id, fairnessKey: id.charAt(0) }));
}

/** The ids of this many runs of a key, in order. */
export function idsOf(key: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${key}${index + 1}`);
}

/** Settles a claimed run by what happened to it. */
export async function settleBy(
  scene: CaseScene,
  id: string,
  events: (at: number) => RunEvent | readonly RunEvent[],
): Promise<void> {
  const run: Run = await scene.read(id);
  equal(await scene.settle(settlementOf(run, events(await scene.now()))), ['ok']);
}

export function complete(scene: CaseScene, id: string): Promise<void> {
  return settleBy(scene, id, (at) => ({ type: 'complete', at }));
}
