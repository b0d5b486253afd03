import type { Beat, BeatAnswer, CancelAnswer, DiscardAnswer } from '@retry/core/broker';
import { epochText } from '../record/record.ts';
import { cancelScript } from '../scripts/cancel.ts';
import { cancelRequestsScript, heartbeatScript } from '../scripts/heartbeat.ts';
import { discardScript } from '../scripts/redrive.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';
import { readAnswers } from './answers.ts';

const BEATS: Readonly<Record<string, BeatAnswer>> = { o: 'ok', c: 'cancel', f: 'fenced', g: 'gone' };
const CANCELS: Readonly<Record<string, CancelAnswer>> = {
  c: 'cancelled',
  r: 'requested',
  e: 'ended',
  g: 'gone',
};
const DISCARDS: Readonly<Record<string, DiscardAnswer>> = { d: 'discarded', r: 'refused', g: 'gone' };

/** Extends leases; a lease never shrinks. */
export async function beat(
  store: Store,
  beats: readonly Beat[],
  leaseMs: number,
): Promise<readonly BeatAnswer[]> {
  if (beats.length === 0) return [];
  const packed = pack(beats.flatMap(({ id, epoch }) => [id, epochText(epoch)]));
  return readAnswers(await runScript(store, heartbeatScript, [`${leaseMs}`, packed]), BEATS);
}

/** Those of the leases that have a cancel request. */
export async function findCancelRequests(store: Store, leases: readonly Beat[]): Promise<readonly Beat[]> {
  if (leases.length === 0) return [];
  const packed = pack(leases.flatMap(({ id, epoch }) => [id, epochText(epoch)]));
  const letters = String(await runScript(store, cancelRequestsScript, [packed]));
  return leases.filter((_, index) => letters[index] === 'y');
}

/** Cancels runs that wait, at once, and leaves word for the workers of started ones. */
export async function cancelRuns(store: Store, ids: readonly string[]): Promise<readonly CancelAnswer[]> {
  if (ids.length === 0) return [];
  return readAnswers(await runScript(store, cancelScript, [...store.retention, pack(ids)]), CANCELS);
}

/** Forgets ended runs for good. */
export async function discardRuns(store: Store, ids: readonly string[]): Promise<readonly DiscardAnswer[]> {
  if (ids.length === 0) return [];
  return readAnswers(await runScript(store, discardScript, [...store.retention, pack(ids)]), DISCARDS);
}
