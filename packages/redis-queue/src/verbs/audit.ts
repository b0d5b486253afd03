import type { Audit } from '@retry/core/broker';
import { auditScript } from '../scripts/audit.ts';
import { fromTag } from '../store/keys.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { createLaneList, runScript } from '../store/store.ts';

/** Up to this many kept runs, each of them is checked; a script over more would block the server. */
const DEEP_UP_TO = 1_000;

type Counted = readonly ['ok' | 'again', ...number[]];

/** The conservation figures. */
export async function auditRuns(store: Store): Promise<Audit> {
  for (;;) {
    const lanes = createLaneList();
    for (const tag of await readLanes(store)) lanes.numberOf(fromTag(tag));
    const args = [pack(lanes.tags), `${DEEP_UP_TO}`];
    const reply = (await runScript(store, auditScript, args, lanes.tags)) as Counted; // what our own script returns
    // Otherwise a lane was added in between: once more, with it.
    if (reply[0] === 'ok') return toAudit(reply.slice(1) as readonly number[]); // numbers from here on
  }
}

async function readLanes({ link, keys }: Store): Promise<readonly string[]> {
  const members = await link.send(keys.lanes, ['SMEMBERS', keys.lanes]);
  // RESP3 answers a set, RESP2 a list.
  return [...(members as Iterable<string>)];
}

function toAudit(figures: readonly number[]): Audit {
  const [created = 0, submitted = 0, scheduled = 0, started = 0, forgotten = 0, unbalanced = 0] = figures;
  const [completed = 0, failed = 0, cancelled = 0, stalled = 0, dropped = 0, limited = 0] = figures.slice(6);
  const ended = { completed, failed, cancelled, stalled, dropped, rateLimited: limited };
  return { created, submitted, scheduled, started, ended, forgotten, unbalanced };
}
