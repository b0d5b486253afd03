import type { Clock, Duration } from '@retry/core';
import { isEligible, PolicyError } from '@retry/core';
import type { Broker, Run } from '@retry/core/broker';
import { readDuration } from '../read-duration.ts';
import { sleep } from '../sleep.ts';
import type { AnyTask } from '../task/task.ts';

/** Which dead letters are meant. */
export interface DeadLetterFilter {
  readonly task?: AnyTask;
  /** `name` of the latest error. */
  readonly errorName?: string;
  /** Dead for at least this long. */
  readonly olderThan?: Duration;
  /** @default 'failed' */
  readonly state?: 'failed' | 'stalled' | 'rate_limited';
  /** 1 to 100 000. @default 100 */
  readonly limit?: number;
}

/** How to send dead letters back. */
export interface RedriveFilter extends DeadLetterFilter {
  /** Says what would be redriven and redrives nothing. @default false */
  readonly isDryRun?: boolean;
  /** At most this many per second. @default Infinity */
  readonly perSecond?: number;
  /** Attempts go on counting where they stopped; runs of `task` that have none left stay. @default false */
  readonly keepAttempts?: boolean;
  /** Ends it between two batches; what was redriven stays so. */
  readonly signal?: AbortSignal;
}

/** Failed, stalled and rate limited runs, kept with their errors until somebody decides. */
export interface DeadLetters {
  readonly list: (filter?: DeadLetterFilter) => Promise<readonly Run[]>;
  /** Sends them back to their lanes. @returns the ids that were, or would be, redriven */
  readonly redrive: (filter?: RedriveFilter) => Promise<readonly string[]>;
  /** Forgets them for good. @returns the ids that are gone */
  readonly discard: (filter?: DeadLetterFilter) => Promise<readonly string[]>;
}

const PAGE = 1_000;

/** The dead letters of a broker. */
export function createDeadLetters(broker: Broker, clock: Clock): DeadLetters {
  const list = (filter: DeadLetterFilter = {}): Promise<readonly Run[]> => listAll(broker, clock, filter);
  return {
    list,
    redrive: async (filter = {}) => {
      const isMeant = redrivable(filter);
      const ids = (await list(filter)).filter(isMeant).map(({ id }) => id);
      return filter.isDryRun === true ? ids : redriveAll(broker, clock, { ...filter, ids });
    },
    discard: async (filter) => {
      const ids = (await list(filter)).map(({ id }) => id);
      const answers = await broker.discard(ids);
      return ids.filter((_, index) => answers[index] === 'discarded');
    },
  };
}

/** With its attempts kept, a run that has used them up would get one more than its policy allows. */
function redrivable({ task, keepAttempts = false }: RedriveFilter): (run: Run) => boolean {
  if (!keepAttempts) return () => true;
  if (task !== undefined) return (run) => isEligible(task.retry, run);
  const cure = 'Name the task, so that its policy can say which runs have attempts left.';
  throw new PolicyError([{ path: 'task', value: task, message: 'is needed with keepAttempts', cure }]);
}

async function listAll(broker: Broker, clock: Clock, filter: DeadLetterFilter): Promise<readonly Run[]> {
  const { task, errorName, olderThan, state = 'failed', limit = 100 } = filter;
  const query = {
    state,
    ...(task !== undefined && { lane: task.lane }),
    ...(errorName !== undefined && { errorName }),
    ...(olderThan !== undefined && {
      endedBefore: justAfter(clock.now() - readDuration('olderThan', olderThan)),
    }),
  };
  const found: Run[] = [];
  for (let after: string | undefined; found.length < limit; ) {
    const page = await broker.list({ ...query, limit: PAGE, ...(after !== undefined && { after }) });
    // A run that nobody wants to keep takes nobody's place.
    found.push(...page.filter((run) => run.isDisposable !== true));
    if (page.length < PAGE) break;
    after = page.at(-1)?.id;
  }
  return found.slice(0, limit);
}

/** Runs end at whole milliseconds, and one that ended at this very instant is old enough. */
function justAfter(at: number): number {
  return Math.floor(at) + 1;
}

interface Redrive extends RedriveFilter {
  readonly ids: readonly string[];
}

async function redriveAll(broker: Broker, clock: Clock, redrive: Redrive): Promise<readonly string[]> {
  const { ids, perSecond = Infinity, keepAttempts = false, signal } = redrive;
  if (!(perSecond > 0)) throw wrongRate(perSecond);
  const batch = Math.max(Math.min(perSecond, PAGE), 1);
  const redriven: string[] = [];
  for (let from = 0; from < ids.length && signal?.aborted !== true; from += batch) {
    const part = ids.slice(from, from + batch);
    const answers = await broker.redrive(part, { keepAttempts });
    redriven.push(...part.filter((_, index) => answers[index] === 'redriven'));
    const isLast = from + batch >= ids.length;
    if (!isLast && perSecond < Infinity) await sleep(clock, (batch / perSecond) * 1_000, signal);
  }
  return redriven;
}

function wrongRate(value: number): PolicyError {
  const cure = 'Leave it out for no limit.';
  return new PolicyError([{ path: 'perSecond', value, message: 'must be a number > 0', cure }]);
}
