import type { Audit } from '@retry/core/broker';
import { END_STATES } from '@retry/core/lifecycle';
import { AUDIT_FIGURES } from '../record/requests.ts';
import { auditScript } from '../scripts/lua-code.ts';
import { fromTag } from '../store/keys.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { createLaneList, runListScript } from '../store/store.ts';

/** Up to this number of kept runs, each of them is checked; a script that checks more would block the server. */
const DEEP_UP_TO = 1_000;

type Counted = readonly ['ok' | 'again', ...number[]];

/** Returns the conservation figures. */
export async function auditRuns(store: Store): Promise<Audit> {
  for (;;) {
    const lanes = createLaneList();
    for (const tag of await readLanes(store)) lanes.numberOf(fromTag(tag));
    const args = [pack(lanes.tags), `${DEEP_UP_TO}`];
    const reply = (await runListScript(store, auditScript, args, lanes.tags)) as Counted; // what our own script returns
    // Otherwise a lane was added in between: count again, with it.
    if (reply[0] === 'ok') return toAudit(reply.slice(1) as readonly number[]); // numbers from here on
  }
}

function toAudit(figures: readonly number[]): Audit {
  const named = AUDIT_FIGURES.map((name, index) => [name, figures[index] ?? 0]);
  const ended = END_STATES.map((state, index) => [state, figures[AUDIT_FIGURES.length + index] ?? 0]);
  return { ...Object.fromEntries(named), ended: Object.fromEntries(ended) } as Audit; // every name of both lists
}

/** Returns the lanes that may have runs. */
async function readLanes({ link, keys }: Store): Promise<readonly string[]> {
  const members = await link.send(keys.of.lanes, ['SMEMBERS', keys.of.lanes]);
  // RESP3 answers a set, RESP2 a list.
  return [...(members as Iterable<string>)];
}
