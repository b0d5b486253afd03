import type { Clock } from '@retry/core';
import type { Audit, Broker, CancelAnswer, LaneDepth } from '@retry/core/broker';
import { cancelRuns } from '@retry/core/broker/kit';
import type { Fields, Synonyms } from '@retry/core/fields';
import { readOptions } from '@retry/core/fields';
import { BARE_BROKER, isRefused, readBroker } from './broker.ts';
import { backgroundClock, readClock, systemClock } from './clock.ts';
import type { Emitter } from './emitter.ts';
import { createEmitter } from './emitter.ts';
import type { QueueEvents } from './events.ts';
import { QUEUE_EVENTS } from './events.ts';
import { readRedact } from './options.ts';
import { coalesce } from './queue/coalesce.ts';
import type { Observing } from './queue/health/health.ts';
import { createObserving } from './queue/health/health.ts';
import type { DeadLetters } from './queue/operate/dead-letters.ts';
import { createDeadLetters } from './queue/operate/dead-letters.ts';
import type { Forgetting } from './queue/operate/forget.ts';
import { createForgetting } from './queue/operate/forget.ts';
import type { Holding } from './queue/operate/holds.ts';
import { createHolding } from './queue/operate/holds.ts';
import type { Operating } from './queue/operate/operating.ts';
import { createOperating } from './queue/operate/operating.ts';
import type { PlannedDeadLetters } from './queue/plans/plan.ts';
import { createPlan } from './queue/plans/plan.ts';
import type { QueueOperations } from './queue/plans/queue-operations.ts';
import { createOperations } from './queue/plans/queue-operations.ts';
import { createResultWaiting } from './queue/results/wait-for-result.ts';
import type { WaitForResult } from './queue/results/wait-options.ts';
import { readId } from './queue/results/wait-options.ts';
import type { Submitting } from './queue/submit.ts';
import { createSubmitting } from './queue/submit.ts';
import type { RunReading } from './queue/views/reading.ts';
import { createReading } from './queue/views/reading.ts';
import type { Times } from './queue/views/times.ts';
import { readTimes } from './queue/views/times.ts';
import type { Scheduling } from './schedules/scheduling.ts';
import { createScheduling } from './schedules/scheduling.ts';
import type { Redact } from './settle/stored-error.ts';
import { BROKER_NAMES, QUEUE_CURES } from './task/foreign-options.ts';

/** Submits runs, reads and cancels them, and manages dead letters. `Own` is how it writes instants. */
export interface Queue<Own extends Times = 'ms'>
  extends Submitting,
    RunReading<Own>,
    Operating,
    Forgetting,
    Holding,
    Scheduling<Own>,
    Observing {
  /**
   * Waits until the run has completed and returns its result.
   *
   * @throws {RunFailedError} when it ends in another state
   * @throws {RunForgottenError} when it is not stored, or no longer: use `keepResult` when submitting a run to wait for
   * @throws {WaitTimeoutError} after the timeout
   */
  readonly waitForResult: WaitForResult;
  /** Cancels a waiting run immediately, or asks the worker of a started one to cancel it. */
  readonly cancel: (id: string) => Promise<CancelAnswer>;
  /** Returns the number of runs in each state. */
  readonly counts: () => Promise<Audit>;
  /** Returns the lanes that have waiting runs but no live worker. */
  readonly unattended: () => Promise<readonly LaneDepth[]>;
  /** Runs that ended without completing, kept until they are redriven or discarded. */
  readonly deadLetters: DeadLetters<Own> & PlannedDeadLetters;
  /** Planned redrives and discards, which are carried on until they are done, whichever process dies. */
  readonly operations: QueueOperations;
  /** Adds a listener for an event and returns a function that removes it. Also on `node:diagnostics_channel` as `retry:queue:<event>`. */
  readonly on: Emitter<QueueEvents>['on'];
}

/** The options of `createQueue`. */
export interface QueueOptions<Own extends Times = Times> {
  /** Where the runs are kept. A queue never closes it. */
  readonly broker: Broker;
  /**
   * How instants are written in the runs that it returns: `'ms'` (epoch milliseconds), `'iso'` (text) or `'date'` (`Date` objects).
   * Each call may say otherwise. @default 'ms'
   */
  readonly times?: Own | undefined;
  /** Decides what of an error is stored by `fail`, as that of a worker does. @default its name, message, stack and codes */
  readonly redact?: Redact | undefined;
  /** @default the runtime's own clock */
  readonly clock?: Clock | undefined;
}

/** Creates a queue over a broker. @throws {InvalidOptionsError} listing every wrong option */
export function createQueue<Own extends Times = 'ms'>(options: QueueOptions<Own>): Queue<Own> {
  const { broker, redact, clock, times } = readOptions(options, CALL, readParts<Own>);
  const emitter = createEmitter<QueueEvents>('queue', QUEUE_EVENTS, clock);
  const waiting = createResultWaiting(broker, clock, emitter);
  const cancel = coalesce<string, CancelAnswer>((ids) => cancelRuns(broker, ids), {
    // In any order: whichever of two cancels of a run comes first, one cancels it, and the other finds it ended.
    outstanding: 2,
    isRefusal: (error) => isRefused(broker, error),
  });
  const background = clock === systemClock ? backgroundClock : clock;
  const operations = createOperations({ broker, clock, background, emitter });
  const { begin: _, ...kept } = operations;
  return {
    ...createSubmitting({ broker, emitter, waiting }),
    ...createOperating({ broker, redact, clock }),
    ...createForgetting(broker),
    ...createReading({ broker, times }),
    ...createHolding(broker),
    ...createScheduling({ broker, times }),
    ...createObserving(broker),
    waitForResult: waiting.waitForResult,
    cancel: async (id) => cancel(readId(id, 'cancel')),
    counts: async () => broker.audit(),
    unattended: async () => broker.attend(),
    deadLetters: {
      ...createDeadLetters({ broker, times }),
      plan: (filter) => createPlan(broker, operations, filter),
    },
    operations: kept,
    on: emitter.on,
  };
}

const KEYS: readonly (keyof QueueOptions)[] = ['broker', 'times', 'redact', 'clock'];

/** Names of our keys in other libraries. */
const SYNONYMS: Synonyms = [[BROKER_NAMES, 'broker: createRedisBroker({ url })']];

const CALL = { subject: 'queue', keys: KEYS, synonyms: SYNONYMS, cures: QUEUE_CURES, bare: BARE_BROKER };

type QueueSettings<Own extends Times> = Pick<QueueOptions, 'broker'> & {
  readonly times: Own;
  readonly redact: Redact | undefined;
  readonly clock: Clock;
};

function readParts<Own extends Times>(fields: Fields): QueueSettings<Own> {
  return {
    broker: readBroker(fields),
    times: readTimes(fields, 'ms'),
    redact: readRedact(fields),
    clock: readClock(fields),
  };
}
