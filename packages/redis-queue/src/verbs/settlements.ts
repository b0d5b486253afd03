import type { Settlement } from '@retry/core/broker';
import { settledBy } from '@retry/core/broker';
import type { Packed } from '../pack.ts';
import { encodeCompletion, encodeFirstCompletion, encodeRecord, epochText } from '../record.ts';
import type { LaneList } from '../store.ts';

/** What the script is told of settlements: first completions, and apart from them all others, with their stacks. */
export interface Told {
  readonly firsts: Packed[];
  readonly others: Packed[];
  readonly stacks: string[];
  /** Of each settlement, in order, whether it is among `firsts`. */
  readonly isFirst: boolean[];
}

/** The settlements of one exchange, as the script takes them. */
export function tellSettlements(settle: readonly Settlement[], lanes: LaneList): Told {
  const told: Told = { firsts: [], others: [], stacks: [], isFirst: [] };
  // The script takes first completions first: none of a run that is to be settled in another way before.
  const otherIds = new Set<string>();
  for (const settlement of settle) {
    const { id } = settlement;
    const record = otherIds.has(id) ? undefined : recordOfFirst(settlement);
    told.isFirst.push(record !== undefined);
    if (record !== undefined) told.firsts.push(id, record);
    else {
      otherIds.add(id);
      addOther(told, settlement, lanes);
    }
  }
  return told;
}

/** The answers to first completions and then to the others, in the order of the settlements. */
export function inOrderOf(isFirst: readonly boolean[], letters: string): string {
  let first = 0;
  let other = isFirst.filter(Boolean).length;
  if (other === 0 || other === isFirst.length) return letters;
  return isFirst.map((is) => letters[is ? first++ : other++]).join('');
}

function recordOfFirst({ epoch, event, next, onlyIfExpired }: Settlement): string | undefined {
  if (event !== 'complete' || epoch !== 1 || onlyIfExpired === true) return undefined;
  // One that holds a key has to give it back.
  return next.concurrency === undefined ? encodeFirstCompletion(next) : undefined;
}

function addOther({ others, stacks }: Told, settlement: Settlement, lanes: LaneList): void {
  const { id, epoch, event, next, onlyIfExpired } = settlement;
  const by = settledBy(epoch, event);
  let record = event === 'complete' ? encodeCompletion(next) : '';
  if (record === '') {
    const { text, stack } = encodeRecord(next, by);
    record = text;
    if (stack !== undefined) stacks.push(stack);
  }
  const mode = (onlyIfExpired === true ? 1 : 0) + (event === 'release' ? 2 : 0);
  others.push(id, epochText(epoch), `${by}\0`, mode, lanes.numberOf(next.lane), record);
}
