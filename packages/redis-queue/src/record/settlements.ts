import type { Settlement } from '@retry/core/broker';
import { runBytes, settledBy } from '@retry/core/broker/kit';
import type { Packed } from '../store/pack.ts';
import type { LaneList } from '../store/store.ts';
import { hasResultApart } from './decode-record.ts';
import { encodeFirstCompletion, encodeLaterCompletion, encodeRecord, epochText } from './encode-record.ts';
import { SETTLE_MODES, SETTLEMENT } from './layout.ts';

/** Settlements as the script takes them: ids and records of completions of first starts, all others, and their long texts. */
export interface PackedSettlements {
  readonly ids: string[];
  readonly records: string[];
  readonly others: Packed[];
  /** Stacks and results that are kept apart. */
  readonly texts: string[];
  /** For each settlement, in order, whether it is a completion of a first start. */
  readonly isFirst: boolean[];
}

/** Returns about how many bytes a settlement has: without the payload, which never changes and is not sent. */
export function settlementBytes({ next }: Settlement): number {
  return runBytes(next) - next.payload.length;
}

/** Packs the settlements of one call. */
export function packSettlements(settle: readonly Settlement[], lanes: LaneList): PackedSettlements {
  const packed: PackedSettlements = { ids: [], records: [], others: [], texts: [], isFirst: [] };
  // The script settles completions of first starts together, before all others: only the first settlement of a run may be one.
  const seen = new Set<string>();
  for (const settlement of settle) {
    const { id } = settlement;
    const record = seen.has(id) ? undefined : recordOfFirst(settlement);
    seen.add(id);
    packed.isFirst.push(record !== undefined);
    if (record === undefined) addOther(packed, settlement, lanes);
    else {
      packed.ids.push(id);
      packed.records.push(record);
    }
  }
  return packed;
}

/** Returns the answers, which are those to first completions and then to the others, in the order of the settlements. */
export function inOrderOf(isFirst: readonly boolean[], letters: string): string {
  let first = 0;
  let other = isFirst.filter(Boolean).length;
  if (other === 0 || other === isFirst.length) return letters;
  return isFirst.map((is) => letters[is ? first++ : other++]).join('');
}

function recordOfFirst({ id, epoch, event, next, onlyIfExpired }: Settlement): string | undefined {
  if (event !== 'complete' || epoch !== 1 || onlyIfExpired === true) return undefined;
  // In the list of finished runs it would look like an entry that has more than an id.
  if (id.startsWith('\0')) return undefined;
  // A run with a concurrency key has to free its slot.
  return next.concurrency === undefined ? encodeFirstCompletion(next) : undefined;
}

function addOther({ others, texts }: PackedSettlements, settlement: Settlement, lanes: LaneList): void {
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
  const values: Readonly<Record<(typeof SETTLEMENT)[number], Packed>> = {
    id,
    epoch: epochText(epoch),
    by: `${by}\0`,
    mode:
      (onlyIfExpired === true ? SETTLE_MODES.onlyIfExpired : 0) +
      (event === 'release' ? SETTLE_MODES.release : 0),
    lane: lanes.numberOf(next.lane),
    record,
    dueInMs: delayMs === undefined ? -1 : Math.max(0, delayMs),
  };
  for (const name of SETTLEMENT) others.push(values[name]);
}
