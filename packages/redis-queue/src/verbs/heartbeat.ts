import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import { readAnswers } from '@retry/core/broker/kit';
import { changedReply } from '../errors.ts';
import { epochText } from '../record/layout.ts';
import type { Script } from '../scripts/create-script.ts';
import { heartbeatScript, readLeasesScript } from '../scripts/lua-code.ts';
import { pack } from '../store/pack.ts';
import type { ScriptStore, Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';

/** Heartbeats of one partition. */
interface Heartbeats {
  readonly leases: readonly HeartbeatRequest[];
  readonly leaseMs: number;
}

/** Extends leases; a lease never shrinks. */
export async function heartbeat(
  store: ScriptStore,
  leases: readonly HeartbeatRequest[],
  leaseMs: number,
): Promise<readonly HeartbeatAnswer[]> {
  return leases.length === 0 ? [] : heartbeatBy(heartbeatScript, store, { leases, leaseMs });
}

/** Extends leases by a script that was composed elsewhere. */
export async function heartbeatBy(
  script: Script,
  store: ScriptStore,
  { leases, leaseMs }: Heartbeats,
): Promise<readonly HeartbeatAnswer[]> {
  return readAnswers(
    'heartbeat',
    await runScript(store, script, [`${leaseMs}`, packed(leases)]),
    changedReply,
  );
}

/** Answers as a heartbeat does, and only reads. */
export async function readLeases(
  store: Store,
  leases: readonly HeartbeatRequest[],
): Promise<readonly HeartbeatAnswer[]> {
  if (leases.length === 0) return [];
  return readAnswers('heartbeat', await runScript(store, readLeasesScript, [packed(leases)]), changedReply);
}

function packed(leases: readonly HeartbeatRequest[]): Buffer {
  return pack(leases.flatMap(({ id, epoch }) => [id, epochText(epoch)]));
}
