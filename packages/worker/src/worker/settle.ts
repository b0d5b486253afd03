import type { Run, Settlement } from '@retry/core/broker';
import { transitionRun } from '@retry/core/broker';
import type { RunEvent, RunState } from '@retry/core/lifecycle';

/**
 * The settlement that moves a claimed run by these events, in one write. The first event names it.
 *
 * @param result - of a run that completes, as JSON text
 */
export function settle(run: Run<'started'>, events: readonly RunEvent[], result?: string): Settlement {
  const next: { -readonly [Key in keyof Run]: Run[Key] } = events.reduce<Run>(move, run);
  if (result !== undefined) next.result = result; // a copy that nobody else has seen: every event makes one
  return { id: run.id, epoch: run.epoch, event: events[0]?.type ?? 'release', next };
}

function move(run: Run, event: RunEvent): Run {
  const moved = transitionRun<RunState, RunEvent>(run, event);
  // A started run takes every event that the worker makes; anything else is a bug of ours, not of the run.
  if (moved.type === 'rejected') throw new TypeError(`a ${moved.from} run takes no ${moved.event}`);
  return moved.run;
}
