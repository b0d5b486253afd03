import type { Duration } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import type { Broker, Hold, HoldRequest, ResumeAnswer } from '@retry/core/broker';
import { holdLanes, listHolds, resumeLanes, textProblem } from '@retry/core/broker/kit';
import type { Fields } from '@retry/core/fields';
import { readOptions } from '@retry/core/fields';
import type { InstantInput } from '../../option-rules.ts';
import { A_HOLD_LENGTH, A_REASON, readInstant } from '../../option-rules.ts';
import type { AnyTask } from '../../task/task.ts';
import { isTask } from '../../task/task.ts';

/** What to put on hold, or to resume: the lane of one task, a lane by its name (`name@version`, as `holds` lists it), or all lanes. */
export type HoldTarget =
  | AnyTask
  // One key each: a union of objects without the other would accept both together.
  | { readonly lane: string; readonly all?: undefined }
  | { readonly all: true; readonly lane?: undefined };

/** The options of `queue.hold`. Without `until` and `for` it lasts until `queue.resume`. */
export interface HoldOptions {
  /** When it ends; the later of this and `for` holds. */
  readonly until?: InstantInput | undefined;
  /** How long it lasts, by the broker's clock; 0: it is over at once, as with a past `until`. */
  readonly for?: Duration | undefined;
  /** Why, for people; 1 to 512 bytes. */
  readonly reason?: string | undefined;
  /** Who, for people; 1 to 512 bytes. */
  readonly by?: string | undefined;
}

/** The methods of a queue that pause lanes. */
export interface Holding {
  /**
   * Puts a lane, or all lanes, on hold: from the answer on no worker claims a run of it. Handlers keep running, waiting
   * runs keep their places, and nothing is charged. A second hold replaces the first; those of handlers and of circuit breakers
   * exist beside it.
   *
   * @throws {InvalidOptionsError} when the target or an option is wrong
   */
  readonly hold: (target: HoldTarget, options?: HoldOptions) => Promise<void>;
  /**
   * Ends the holds of a lane, those of handlers and of the circuit breaker included; with `{ all: true }` those of all lanes
   * together, not those of single lanes.
   *
   * @returns `none` when there was no such hold
   */
  readonly resume: (target: HoldTarget) => Promise<ResumeAnswer>;
  /** Returns the holds that have not ended: which lane (absent: all), who put it on hold, why, since when and until when. */
  readonly holds: () => Promise<readonly Hold[]>;
}

const KEYS: readonly (keyof HoldOptions)[] = ['until', 'for', 'reason', 'by'];

/** Creates the methods of a queue that pause lanes. */
export function createHolding(broker: Broker): Holding {
  return {
    hold: async (target, options) => {
      const lane = readTarget(target, 'hold');
      const hold = readOptions(options, { subject: 'hold', keys: KEYS }, readHold);
      await holdLanes(broker, [{ ...lane, source: 'operator', ...hold }]);
    },
    resume: async (target) => {
      const [answer = 'none'] = await resumeLanes(broker, [readTarget(target, 'resume')]);
      return answer;
    },
    holds: async () => listHolds(broker),
  };
}

/** @throws {InvalidOptionsError} for anything but a task, a lane or `{ all: true }`: a mistake must not pause everything */
function readTarget(target: unknown, subject: string): Pick<HoldRequest, 'lane'> {
  if (isTask(target)) return { lane: target.lane };
  if (typeof target !== 'object' || target === null) throw noTarget(target, subject);
  return readOptions(target, { subject, keys: ['lane', 'all'] }, (fields) => {
    const lane = fields.optional('lane', A_LANE);
    const hasLane = fields.value('lane') !== undefined;
    if (hasLane && fields.value('all') !== undefined)
      fields.fail('all', 'must not be given with lane', 'Name one lane, or use { all: true } alone.');
    if (!hasLane && fields.value('all') !== true) fields.fail('all', 'must be true', TARGET_CURE);
    return lane === undefined ? {} : { lane };
  });
}

/** The rule of a lane's name. Without its version it would be another lane, which no task has. */
const A_LANE = {
  accepts: (value: unknown): value is string =>
    textProblem(value) === undefined && typeof value === 'string' && /^[^@]+@[^@]+$/.test(value),
  message: 'must be the lane of a task: name@version',
  cure: "Use lane: 'send-email@1', as queue.holds() lists it, or the task itself.",
};

const TARGET_CURE = "Use a task of defineTask, { lane: 'send-email@1' }, or { all: true } for all lanes.";

function noTarget(value: unknown, subject: string): InvalidOptionsError {
  const problem = {
    path: 'target',
    value,
    message: 'must be a task, { lane } or { all: true }',
    cure: TARGET_CURE,
  };
  return new InvalidOptionsError([problem], subject);
}

function readHold(fields: Fields): Omit<HoldRequest, 'source' | 'lane'> {
  const until = readInstant(fields, 'until');
  const reason = fields.optional('reason', A_REASON);
  const by = fields.optional('by', A_REASON);
  return {
    ...(until !== undefined && { until }),
    ...(fields.value('for') !== undefined && { forMs: fields.duration('for', undefined, A_HOLD_LENGTH) }),
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by }),
  };
}
