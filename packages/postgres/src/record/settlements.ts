import type { ErrorGroupName, Run, Settlement, Submission } from '@retry/core/broker';
import {
  DESTINATION_LETTERS,
  destinationOf,
  groupOf,
  MAX_BATCH_BYTES,
  settlementBytes,
  spentAttempts,
} from '@retry/core/broker/kit';
import { isDeadLetter } from '@retry/core/lifecycle';
import { downToWhole, toEpoch, upToWhole } from '../driver/sql-values.ts';
import { deadLetterOf } from '../schema/rows.ts';
import type { SettlementArguments } from '../schema/signatures.ts';
import { errorNameOf, needsNoRecord, writeRecord } from './record.ts';

/** The arguments that are about the groups of dead letters. */
type GroupArguments = Pick<
  SettlementArguments,
  'groupNumbers' | 'spent' | 'groupLanes' | 'groupIds' | 'groupTitles'
>;

const NO_GROUPS: GroupArguments = {
  groupNumbers: null,
  spent: null,
  groupLanes: null,
  groupIds: null,
  groupTitles: null,
};

/** The most settlements of one statement. */
const MAX_SETTLEMENTS = 20_000;

/**
 * Splits settlements into parts that can be one statement each:
 *
 * 1. no id twice,
 * 2. all of them with `onlyIfExpired`, or none; all of them with `submit`, or none,
 * 3. at most `MAX_SETTLEMENTS` of them,
 * 4. at most `MAX_BATCH_BYTES`, unless it is a single one.
 *
 * There is one part at least, which may be empty.
 */
export function splitSettlements(settlements: readonly Settlement[]): readonly (readonly Settlement[])[] {
  if (settlements.length <= 1) return [settlements];
  const parts: Settlement[][] = [];
  let part: Settlement[] = [];
  let ids = new Set<string>();
  let bytes = 0;
  for (const settlement of settlements) {
    const size = settlementBytes(settlement);
    const isFull = part.length === MAX_SETTLEMENTS || (part.length > 0 && bytes + size > MAX_BATCH_BYTES);
    if (isFull || ids.has(settlement.id) || isOfAnotherKind(settlement, part[0])) {
      parts.push(part);
      part = [];
      ids = new Set();
      bytes = 0;
    }
    ids.add(settlement.id);
    bytes += size;
    part.push(settlement);
  }
  return [...parts, part];
}

function isOfAnotherKind(
  { onlyIfExpired = false, submit }: Settlement,
  first: Settlement | undefined,
): boolean {
  if (first === undefined) return false;
  return (
    onlyIfExpired !== (first.onlyIfExpired ?? false) ||
    (submit === undefined) !== (first.submit === undefined)
  );
}

/** The letter of the destination: the small one for a dead letter. */
function letterOf(settlement: Settlement): string {
  const destination = destinationOf(settlement);
  if (destination === 'completed') return DESTINATION_LETTERS.completed; // most of them, and never a dead letter
  return deadLetterOfRun(settlement.next) ?? DESTINATION_LETTERS[destination];
}

/** The letter of a dead letter; `undefined` for any other run. */
export function deadLetterOfRun({ state, isDisposable }: Run): string | undefined {
  return isDeadLetter(state) && isDisposable !== true ? deadLetterOf(state) : undefined;
}

/** Where a run was when it was claimed: its order in the lane, and its row in the table. */
interface ClaimedAs {
  readonly laneSeq: number;
  readonly rowAt?: string | undefined;
}

/**
 * Returns one part of settlements as arguments of `settle_and_claim`.
 *
 * @param leases - what the claim of each run said of it, where that is known; `null` where none is
 */
export function settlementArguments(
  settlements: readonly Settlement[],
  leases: readonly (ClaimedAs | undefined)[] | null,
): SettlementArguments {
  return {
    ids: settlements.map(({ id }) => id),
    epochs: settlements.map(({ epoch }) => toEpoch(epoch)),
    rowsAt: leases?.map((lease) => lease?.rowAt) ?? null,
    laneSeqs: leases?.map((lease) => lease?.laneSeq) ?? null,
    destinations: settlements.map(letterOf).join(''),
    onlyIfExpired: settlements[0]?.onlyIfExpired === true,
    startedAts: settlements.map(({ next }) => downToWhole(next.startedAt ?? 0)),
    instants: settlements.map(instantOf),
    delaysMs: settlements.map(delayOf),
    errorNames: settlements.map(({ next }) => errorNameOf(next)),
    results: settlements.map(({ next }) => next.result),
    records: recordLines(settlements),
    ...groupArguments(settlements),
  };
}

/** The group of each dead letter, by its number among the groups of the call. */
function groupArguments(settlements: readonly Settlement[]): GroupArguments {
  if (settlements.every(({ next, group }) => groupOf(next, group) === undefined)) return NO_GROUPS;
  const groups = settlements.map(({ next, group }) => groupOf(next, group));
  const numbers = new Map<string, number>();
  const listed: (ErrorGroupName & { readonly lane: string })[] = [];
  const groupNumbers = groups.map((group, index) => {
    const lane = settlements[index]?.next.lane ?? '';
    if (group === undefined) return undefined;
    const key = `${group.id} ${lane}`;
    const number = numbers.get(key) ?? listed.push({ ...group, lane });
    numbers.set(key, number);
    return number;
  });
  return {
    groupNumbers,
    spent: settlements.map(({ next }, index) =>
      groups[index] === undefined ? undefined : spentAttempts(next),
    ),
    groupLanes: listed.map(({ lane }) => lane),
    groupIds: listed.map(({ id }) => id),
    groupTitles: listed.map(({ title }) => title),
  };
}

/** Returns the runs that one part of settlements submits; none, or one for each. */
export function submissionsOf(settlements: readonly Settlement[]): readonly Submission[] {
  return settlements.flatMap(({ submit }) => submit ?? []);
}

/** A line of JSON for each, empty where no record is needed; `null` where none of them needs one. */
function recordLines(settlements: readonly Settlement[]): string | null {
  if (settlements.every(needsNoRecord)) return null;
  return settlements.map((one) => (needsNoRecord(one) ? '' : writeRecord(one))).join('\n');
}

/** Returns how many settlements with these letters of destinations end as runs that retention may forget: the capital ones. */
export function countFinished(destinations: string): number {
  let count = 0;
  for (let index = 0; index < destinations.length; index += 1) {
    const code = destinations.charCodeAt(index);
    if (code >= FIRST_CAPITAL && code <= LAST_CAPITAL) count += 1;
  }
  return count;
}

const [FIRST_CAPITAL, LAST_CAPITAL] = ['A'.charCodeAt(0), 'Z'.charCodeAt(0)];

/** When the run is due, rounded up so that it is never early, or when it ended. */
function instantOf({ next }: Settlement): number {
  return next.state === 'scheduled' ? upToWhole(next.runAt ?? 0) : downToWhole(next.endedAt ?? 0);
}

/** How long after the settlement is written the run is due, where a delay was decided. */
function delayOf({ next, delayMs }: Settlement): number | undefined {
  return next.state === 'scheduled' && delayMs !== undefined ? upToWhole(Math.max(0, delayMs)) : undefined;
}
