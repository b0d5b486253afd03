import type { Settlement } from '@retry/core/broker';
import { groupOf, settledBy } from '@retry/core/broker/kit';
import type { Packed } from '../store/pack.ts';
import { pack } from '../store/pack.ts';
import type { LaneList } from '../store/store.ts';
import { epochText } from './layout.ts';
import { encodeFirstCompletion, encodeLaterCompletion, encodeRecord, hasResultApart } from './record.ts';
import { SETTLE_MODES, SETTLEMENT } from './requests.ts';

/** Settlements that are sent as two plain arguments each: ids and records, or short forms of them. */
interface PlainSettlements {
  readonly ids: string[];
  readonly records: string[];
}

/** Settlements as the script takes them. */
export interface PackedSettlements {
  /** Completions of first starts. */
  readonly firsts: PlainSettlements;
  /** Plain moves, all of this lane; only where all settlements are plain. */
  readonly moves: PlainSettlements;
  readonly movesLane: string | undefined;
  readonly others: Packed[];
  /** Stacks and results that are kept apart. */
  readonly texts: string[];
  /** The titles of the groups of dead letters, by id. */
  readonly groups: Map<string, string>;
  /** For each settlement, in order, whether it is a completion of a first start. */
  readonly isFirst: boolean[];
}

/** What is packed of settlements that are not plain. */
type OneByOne = 'others' | 'texts' | 'groups';

/** Plain settlements make no dead letters. */
const NO_GROUPS = new Map<string, string>();

const NO_SETTLEMENTS: PackedSettlements = {
  firsts: { ids: [], records: [] },
  moves: { ids: [], records: [] },
  movesLane: undefined,
  others: [],
  texts: [],
  groups: NO_GROUPS,
  isFirst: [],
};

/** Packs the settlements of one call. */
export function packSettlements(settle: readonly Settlement[], lanes: LaneList): PackedSettlements {
  if (settle.length === 0) return NO_SETTLEMENTS;
  const firsts: PlainSettlements = { ids: [], records: [] };
  const isFirst: boolean[] = [];
  const rest: Settlement[] = [];
  // The script settles plain ones together, before all others: only the first settlement of a run may be one.
  const seen = new Set<string>();
  let isPlain = true;
  for (const settlement of settle) {
    const { id } = settlement;
    const record = seen.has(id) ? undefined : recordOfFirst(settlement);
    isPlain = isPlain && !seen.has(id);
    seen.add(id);
    isFirst.push(record !== undefined);
    if (record === undefined) rest.push(settlement);
    else {
      firsts.ids.push(id);
      firsts.records.push(record);
    }
  }
  const plain = isPlain ? packMoves(rest) : undefined;
  const moves = plain ?? { ids: [], records: [] };
  // In one piece: a key behind a spread makes V8 before version 12 give each such object a shape of its own.
  const groups = plain === undefined ? new Map<string, string>() : NO_GROUPS;
  const movesLane = plain && rest[0]?.next.lane;
  const packed = { firsts, moves, movesLane, others: [], texts: [], groups, isFirst };
  if (plain === undefined) for (const settlement of rest) addOther(packed, settlement, lanes);
  return packed;
}

/** Packs settlements as others, in their order. */
export function packOneByOne(
  settle: readonly Settlement[],
  lanes: LaneList,
): Pick<PackedSettlements, OneByOne> {
  const packed = { others: [], texts: [], groups: new Map<string, string>() };
  for (const settlement of settle) addOther(packed, settlement, lanes);
  return packed;
}

/** Packs settlements that are plain moves of one lane; `undefined` if one of them is not. */
function packMoves(settle: readonly Settlement[]): PlainSettlements | undefined {
  const moves: PlainSettlements = { ids: [], records: [] };
  const lane = settle[0]?.next.lane;
  for (const settlement of settle) {
    const record = settlement.next.lane === lane ? recordOfMove(settlement) : undefined;
    if (record === undefined) return undefined;
    moves.ids.push(settlement.id);
    moves.records.push(record);
  }
  return moves;
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

/** The record of a plain move, or its short form; `undefined` for all other settlements. */
function recordOfMove({
  id,
  epoch,
  event,
  next,
  delayMs = 0,
  onlyIfExpired,
}: Settlement): string | undefined {
  if (onlyIfExpired === true || next.concurrency !== undefined) return undefined;
  if (epoch !== next.epoch || id.startsWith('\0')) return undefined;
  if (event === 'complete') {
    const short = encodeLaterCompletion(next);
    return short === '' || hasResultApart(short) ? undefined : short;
  }
  if (next.state !== 'submitted' || event === 'release' || delayMs > 0) return undefined;
  if (next.isDisposable === true || next.result !== undefined) return undefined;
  const { text, stack } = encodeRecord(next, settledBy(epoch, event));
  return stack === undefined ? text : undefined;
}

function addOther(
  { others, texts, groups }: Pick<PackedSettlements, OneByOne>,
  settlement: Settlement,
  lanes: LaneList,
): void {
  const { id, epoch, event, next, delayMs, onlyIfExpired } = settlement;
  const by = settledBy(epoch, event);
  let record = event === 'complete' ? encodeLaterCompletion(next) : '';
  if (record !== '' && hasResultApart(record)) texts.push(next.result ?? '');
  if (record === '') {
    const group = groupOf(next, settlement.group);
    if (group !== undefined) groups.set(group.id, group.title);
    const { text, stack, result } = encodeRecord(next, by, group?.id);
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

/** Packs settlements that are not plain, as the script takes them. */
export function packOthers(lanes: LaneList, { others, groups }: Pick<PackedSettlements, OneByOne>): Buffer {
  return pack(groups.size === 0 ? [lanes.tags, others] : [lanes.tags, others, [...groups].flat()]);
}

/** Divides settlements, in their order, into those that submit a run and those that do not. */
export function groupBySubmit(settle: readonly Settlement[]): readonly (readonly Settlement[])[] {
  if (settle.every(({ submit }) => submit === undefined)) return [settle];
  const groups: Settlement[][] = [];
  for (const settlement of settle) {
    const group = groups.at(-1);
    if (group !== undefined && isSubmitting(group[0]) === isSubmitting(settlement)) group.push(settlement);
    else groups.push([settlement]);
  }
  return groups;
}

/** Whether a settlement submits a run. */
export function isSubmitting(settlement: Settlement | undefined): boolean {
  return settlement?.submit !== undefined;
}
