import type { Run, Settlement } from '@retry/core/broker';
import type { RunEvent } from '@retry/core/lifecycle';
import { transition } from '@retry/core/lifecycle';

/** What happens to a run at an instant, or the type of the one event that does; a retry is due at that instant. */
export type Happening =
  | 'complete'
  | 'retry'
  | 'fail'
  | 'release'
  | 'stall'
  | 'cancel'
  | 'drop'
  | 'limit'
  | ((at: number) => RunEvent | readonly RunEvent[]);

/** The attempt fails, and another one is due after the delay. */
export function retryIn(delayMs: number): (at: number) => RunEvent {
  return (at) => ({ type: 'retry', at, runAt: at + delayMs });
}

/** Returns the events of what happens at this instant. */
export function happenedAt(happening: Happening, at: number): RunEvent | readonly RunEvent[] {
  if (typeof happening === 'function') return happening(at);
  return happening === 'retry' ? { type: happening, at, runAt: at } : { type: happening, at };
}

/** What a settlement says of the run besides what the event does. */
export interface SettleExtras extends Partial<Run> {
  readonly onlyIfExpired?: boolean;
}

/**
 * The settlement of a claimed run by what happened to it. Several events follow one another, as those of a cleaner
 * do (`stall`, then `recover`): the first one names the settlement.
 */
export function settlementOf(
  run: Run,
  events: RunEvent | readonly RunEvent[],
  { onlyIfExpired = false, ...extras }: SettleExtras = {},
): Settlement {
  const all = [events].flat();
  const [first] = all;
  if (first === undefined) throw new Error('a settlement needs an event');
  const next = { ...all.reduce(follow, run), ...extras };
  const settlement = { id: run.id, epoch: run.epoch, event: first.type, next };
  return onlyIfExpired ? { ...settlement, onlyIfExpired } : settlement;
}

function follow(run: Run, event: RunEvent): Run {
  const moved = transition(run, event);
  if (moved.type === 'rejected') throw new Error(`no ${event.type} from ${moved.from}`);
  return moved.run;
}
