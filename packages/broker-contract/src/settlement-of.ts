import type { Run, Settlement } from '@retry/core/broker';
import type { RunEvent } from '@retry/core/lifecycle';
import { transition } from '@retry/core/lifecycle';

/** What a settlement carries besides the event. */
export interface SettleExtras extends Partial<Pick<Run, 'result' | 'errors' | 'previousDelayMs'>> {
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
