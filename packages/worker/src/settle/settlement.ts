import type { Run, Settlement } from '@retry/core/broker';
import { transitionRun } from '@retry/core/broker';
import type { RunEvent, RunState } from '@retry/core/lifecycle';

/** What a settlement writes besides the moves. */
interface Extras {
  /** Of a run that completes, as JSON text. */
  readonly result?: string;
  /** Of a run that is to wait: by the broker's own clock, whatever `runAt` its event has. 0 is immediately. */
  readonly delayMs?: number;
  /** Whether the run is kept if it has failed now. @default 'save' */
  readonly deadLetter?: 'save' | 'none';
}

/** The settlement that moves a claimed run by these events, in one write. The first event names it. */
export function settle(
  run: Run<'started'>,
  events: readonly RunEvent[],
  { result, delayMs = 0, deadLetter = 'save' }: Extras = {},
): Settlement {
  // A copy that no other code has seen: every event makes one.
  const next: { -readonly [Key in keyof Run]: Run[Key] } = events.reduce<Run>(move, run);
  if (result !== undefined) next.result = result;
  // What the task says now holds. A stalled run is kept in any case: it is not known how far it came.
  next.isDisposable = (deadLetter === 'none' && next.state === 'failed') || undefined;
  return {
    id: run.id,
    epoch: run.epoch,
    event: events[0]?.type ?? 'release',
    next,
    ...(delayMs > 0 && { delayMs }),
  };
}

function move(run: Run, event: RunEvent): Run {
  const moved = transitionRun<RunState, RunEvent>(run, event);
  // A started run takes every event that the worker makes; anything else is a bug of ours, not of the run.
  if (moved.type === 'rejected') throw new TypeError(`a ${moved.from} run takes no ${moved.event}`);
  return moved.run;
}
