import type { RunState } from '@retry/core/lifecycle';
import { isDeadLetter } from '@retry/core/lifecycle';
import type { Queue } from '@retry/worker';
import { printable } from '../terminal/printable.ts';

/** An id that was named and is no dead letter, or none of the state that was asked for; without a state, there is no such run. */
export interface LeftOut {
  readonly id: string;
  readonly state?: RunState;
}

/** Returns those of these ids that are no dead letters. @param asked - their state; absent: any of dead letters */
export async function leftOut(
  queue: Queue,
  ids: readonly string[],
  asked?: RunState,
): Promise<readonly LeftOut[]> {
  const left: LeftOut[] = [];
  for (const id of new Set(ids)) {
    const run = await queue.get(id);
    if (run === undefined) left.push({ id });
    else if (!isDeadLetter(run.state) || (asked ?? run.state) !== run.state)
      left.push({ id, state: run.state });
  }
  return left;
}

/** Returns a line for each of them. */
export function leftOutText(left: readonly LeftOut[]): string {
  return left
    .map(({ id, state }) => {
      if (state === undefined) return `${printable(id)}  there is no such run`;
      return `${printable(id)}  left out: it is ${state}${isDeadLetter(state) ? '' : ', and no dead letter'}`;
    })
    .join('\n');
}
