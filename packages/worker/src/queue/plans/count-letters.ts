import type { Broker, ErrorGroupName, OperationFilter, Run } from '@retry/core/broker';
import { OTHER_GROUP, UNREADABLE_GROUP } from '@retry/core/broker/kit';
import { fingerprint } from '@retry/core/failures';
import { RATE_LIMITED } from '../../settle/dead-letter.ts';
import { isWhollyListed, listedBy, matchesListed } from '../operate/letter-query.ts';
import { readByList } from '../read-runs.ts';

/** Dead letters of one cause, as far as they were counted. */
export interface PlannedGroup {
  /** The id of their error group, which filters take as `group`. */
  readonly id: string;
  /** One line for people. */
  readonly title: string;
  /** How many dead letters of the plan it has, ≥ 1. */
  readonly count: number;
  /** The id of one of them. */
  readonly sampleId: string;
}

/** What a plan counts in one lane. */
interface CountedLane {
  readonly lane: string;
  readonly count: number;
  /** Runs that were submitted with a policy of their own. */
  readonly ownPolicies: number;
}

/** What was counted. */
export interface CountedLetters {
  readonly count: number;
  /** `false`: counting ended at its bound, and there are at least that many. */
  readonly isComplete: boolean;
  /** Largest first; at most 1 000, the rest as `other`. */
  readonly groups: readonly PlannedGroup[];
  readonly lanes: readonly CountedLane[];
  readonly firstIds: readonly string[];
}

/** The most runs of a page. */
const PAGE = 1_000;

/** How many runs a page reads at least, where only some of them may match. */
const FILTERED_PAGE = 250;

const FIRST_IDS = 10;
const MAX_GROUPS = 1_000;

/** Yields the dead letters that match, part by part; a part may be empty. @param wanted - how many more, at least */
export async function* letterPages(
  broker: Broker,
  { ids: _, ...filter }: OperationFilter,
  wanted: () => number,
): AsyncGenerator<readonly Run[]> {
  const { state, ...query } = filter;
  const isSelected = matchesListed(query);
  const least = isWhollyListed(query) ? 1 : FILTERED_PAGE;
  const limit = (): number => Math.min(PAGE, Math.max(wanted(), least));
  const asked = { ...listedBy(query), state, disposable: 'omit', payloads: 'omit' } as const;
  for await (const runs of readByList(broker, asked, limit)) yield runs.filter(isSelected);
}

/** Counts the dead letters that match, page by page, up to a bound. */
export async function countLetters(
  broker: Broker,
  filter: OperationFilter,
  countUpTo: number,
): Promise<CountedLetters> {
  const counting = new Counting();
  for await (const part of letterPages(broker, filter, () => countUpTo + 1 - counting.count))
    for (const run of part) {
      if (counting.count === countUpTo) return counting.result({ isComplete: false });
      counting.add(run);
    }
  return counting.result({ isComplete: true });
}

/** Counts runs that were read. */
export function countRuns(runs: Iterable<Run>): CountedLetters {
  const counting = new Counting();
  for (const run of runs) counting.add(run);
  return counting.result({ isComplete: true });
}

class Counting {
  count = 0;
  readonly #groups = new Map<string, PlannedGroup>();
  readonly #lanes = new Map<string, CountedLane>();
  readonly #firstIds: string[] = [];

  add(run: Run): void {
    this.count += 1;
    if (this.#firstIds.length < FIRST_IDS) this.#firstIds.push(run.id);
    const { lane, count, ownPolicies } = this.#lanes.get(run.lane) ?? {
      lane: run.lane,
      count: 0,
      ownPolicies: 0,
    };
    const own = run.retry === undefined ? 0 : 1;
    this.#lanes.set(lane, { lane, count: count + 1, ownPolicies: ownPolicies + own });
    this.#addToGroup(run);
  }

  result({ isComplete }: { readonly isComplete: boolean }): CountedLetters {
    const groups = [...this.#groups.values()].sort((one, other) => other.count - one.count);
    const lanes = [...this.#lanes.values()].sort((one, other) => other.count - one.count);
    return { count: this.count, isComplete, groups, lanes, firstIds: this.#firstIds };
  }

  #addToGroup(run: Run): void {
    const cause = causeOf(run);
    const isRoom = this.#groups.has(cause.id) || this.#groups.size < MAX_GROUPS - 1;
    const { id, title } = isRoom ? cause : OTHER_GROUP;
    const known = this.#groups.get(id);
    this.#groups.set(id, { id, title, sampleId: run.id, count: (known?.count ?? 0) + 1 });
  }
}

/** What a run is counted under: its error group, or where the broker keeps none, the fingerprint of its latest error. */
function causeOf({ errorGroup, errors, state }: Run): ErrorGroupName {
  const error = errors.at(-1);
  const cause = error === undefined ? { id: state, title: state } : fingerprint(error);
  if (errorGroup === undefined || errorGroup === cause.id) return cause;
  const known = NAMED_GROUPS.find(({ id }) => id === errorGroup);
  return known ?? { id: errorGroup, title: cause.title };
}

/** Error groups that say no error. */
const NAMED_GROUPS: readonly ErrorGroupName[] = [OTHER_GROUP, UNREADABLE_GROUP, RATE_LIMITED];
