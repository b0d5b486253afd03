import type { SubmissionInput } from '../case-scene.ts';

/** Submissions whose fairness key is the first letter of their id. */
export function keyed(...ids: readonly string[]): readonly SubmissionInput[] {
  return ids.map((id) => ({ id, fairnessKey: id.charAt(0) }));
}

/** The ids of this many runs of a key, in order. */
export function idsOf(key: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${key}${index + 1}`);
}
