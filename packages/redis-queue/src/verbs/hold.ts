import type { Hold, HoldRequest, ResumeAnswer, ResumeRequest } from '@retry/core/broker';
import { compareHolds } from '@retry/core/broker/kit';
import { readAnswers } from '../record/answers.ts';
import { decodeHold, encodeHold, resumedFields } from '../record/holds.ts';
import { holdScript, holdsScript, resumeScript } from '../scripts/hold.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runListScript, runScript } from '../store/store.ts';

/** Puts lanes on hold: a claim that the server executes later starts no run of theirs. */
export async function holdLanes(store: Store, requests: readonly HoldRequest[]): Promise<void> {
  if (requests.length > 0) await runScript(store, holdScript, [pack(requests.map(encodeHold))]);
}

/** Ends holds. */
export async function resumeLanes(
  store: Store,
  requests: readonly ResumeRequest[],
): Promise<readonly ResumeAnswer[]> {
  if (requests.length === 0) return [];
  return readAnswers('resume', await runScript(store, resumeScript, [pack(requests.map(resumedFields))]));
}

/** Returns the holds that have not ended. */
export async function listHolds(store: Store): Promise<readonly Hold[]> {
  const reply = await runListScript(store, holdsScript, []);
  const [now, flat] = reply as readonly [now: number, flat: readonly string[]]; // what our own script returns
  const holds: Hold[] = [];
  for (let index = 0; index < flat.length; index += 2) {
    const hold = decodeHold(flat[index] ?? '', flat[index + 1] ?? '', now);
    if (hold !== undefined) holds.push(hold);
  }
  return holds.sort(compareHolds);
}
