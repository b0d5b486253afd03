import { deepStrictEqual } from 'node:assert';
import type { Broker, Run } from '@retry/core/broker';
import type { Extras } from '@retry/core/broker/kit';
import { assertBalanced } from './broker-checked.ts';
import { extrasOf } from './broker-extras.ts';
import type { Model, ModelRun } from './broker-model.ts';
import { modelLeases } from './broker-model.ts';

/** Throws unless the broker keeps exactly the runs of the model, and its audit is balanced. */
export async function assertAgrees(model: Model, { broker }: { readonly broker: Broker }): Promise<void> {
  const known = [...model.runs.values()];
  const kept = await broker.get(known.map(({ id }) => id));
  assertSame(
    kept.map((run) => run?.payload),
    known.map(({ id }) => payloadOf(id)),
  );
  assertSame(
    kept.map((run) => withoutUndefined({ retry: run?.retry, origin: run?.origin, context: run?.context })),
    known.map(({ id }) => keptOf(extrasOf(id))),
  );
  assertSame(
    kept.map((run, index) => {
      const modelled = asModelled(run, known[index]);
      return modelled && seenOf(modelled);
    }),
    known.map(seenOf),
  );
  const leases = model.claims.map(({ run: { id, epoch } }) => ({ id, epoch }));
  assertSame(await broker.heartbeat(leases, 0), modelLeases(model, leases));
  const audit = await broker.audit();
  assertBalanced(audit);
  const count = (...states: readonly string[]): number =>
    known.filter(({ state }) => states.includes(state)).length;
  assertSame(
    { ...audit, submitted: audit.submitted + audit.scheduled, scheduled: 0 },
    {
      created: model.submitted,
      // A run that is due is promoted by a claim of its lane, or by another call that reads the schedule.
      submitted: count('submitted', 'scheduled'),
      scheduled: 0,
      started: count('started'),
      ended: {
        completed: count('completed'),
        failed: count('failed'),
        cancelled: count('cancelled'),
        stalled: count('stalled'),
        dropped: count('dropped'),
        rateLimited: count('rateLimited'),
      },
      forgotten: model.forgotten,
      unbalanced: 0,
    },
  );
}

/** Throws unless both are the same, key by key. */
export function assertSame(actual: unknown, expected: unknown): void {
  deepStrictEqual(actual, expected);
}

/** The payload that commands submit with an id. */
export function payloadOf(id: string): string {
  return JSON.stringify(id);
}

/** What is kept of them as it is; attempts that are brought along are a counter. */
function keptOf({ spent: _, ...kept }: Extras): object {
  return kept;
}

function withoutUndefined(extras: Pick<Run, 'retry' | 'origin' | 'context'>): object {
  return Object.fromEntries(Object.entries(extras).filter(([, value]) => value !== undefined));
}

/** The part of a run that the model keeps. */
function seenOf(run: Run | ModelRun): Record<string, unknown> {
  const { id, lane, state, epoch, failures, stalls, releases, rateLimits, redrives, carried } = run;
  return {
    ...{ id, lane, state, epoch, failures, stalls, releases, rateLimits, redrives, carried },
    settledBy: run.settledBy,
    fairnessKey: run.fairnessKey,
    errorGroup: run.errorGroup,
    isCancelRequested: run.isCancelRequested === true,
  };
}

/** A run that is due may be promoted already, or only by the next claim of its lane. */
function asModelled(run: Run | undefined, known: ModelRun | undefined): Run | undefined {
  const mayBeDue = known?.state === 'scheduled' && known.ripeness !== 'never';
  return mayBeDue && run?.state === 'submitted' ? { ...run, state: 'scheduled' } : run;
}
