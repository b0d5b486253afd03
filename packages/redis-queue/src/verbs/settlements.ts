import type { Settlement } from '@retry/core/broker';
import { MAX_BATCH_BYTES, runBytes, settledBy } from '@retry/core/broker';
import { hasResultApart } from '../record/decode-record.ts';
import {
  encodeFirstCompletion,
  encodeLaterCompletion,
  encodeRecord,
  epochText,
} from '../record/encode-record.ts';
import type { Packed } from '../store/pack.ts';
import type { LaneList } from '../store/store.ts';

/** What the script gets of settlements: first completions, and apart from them all others, with their long texts. */
export interface Told {
  readonly firsts: Packed[];
  readonly others: Packed[];
  /** Stacks and results that are kept apart. */
  readonly texts: string[];
  /** Of each settlement, in order, whether it is among `firsts`. */
  readonly isFirst: boolean[];
}

/** The settlements in parts of which each fits into one call: all but one part, the last, may be empty of claims. */
export function inParts(settle: readonly Settlement[]): readonly (readonly Settlement[])[] {
  const parts: Settlement[][] = [];
  let part: Settlement[] = [];
  let bytes = 0;
  for (const settlement of settle) {
    // The payload does not travel.
    const size = runBytes(settlement.next) - settlement.next.payload.length;
    bytes += size;
    if (part.length > 0 && bytes > MAX_BATCH_BYTES) {
      parts.push(part);
      part = [];
      bytes = size;
    }
    part.push(settlement);
  }
  return [...parts, part];
}

/** The settlements of one exchange, as the script takes them. */
export function tellSettlements(settle: readonly Settlement[], lanes: LaneList): Told {
  const told: Told = { firsts: [], others: [], texts: [], isFirst: [] };
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

function addOther({ others, texts }: Told, settlement: Settlement, lanes: LaneList): void {
  const { id, epoch, event, next, delayMs, onlyIfExpired } = settlement;
  const by = settledBy(epoch, event);
  let record = event === 'complete' ? encodeLaterCompletion(next) : '';
  if (record !== '' && hasResultApart(record)) texts.push(next.result ?? '');
  if (record === '') {
    const { text, stack, result } = encodeRecord(next, by);
    record = text;
    if (stack !== undefined) texts.push(stack);
    if (result !== undefined) texts.push(result);
  }
  const mode = (onlyIfExpired === true ? 1 : 0) + (event === 'release' ? 2 : 0);
  const dueInMs = delayMs === undefined ? -1 : Math.max(0, delayMs);
  others.push(id, epochText(epoch), `${by}\0`, mode, lanes.numberOf(next.lane), record, dueInMs);
}
