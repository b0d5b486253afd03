import type { Clock } from '@retry/core';
import type { Audit, Broker, CancelAnswer, LaneDepth, Run } from '@retry/core/broker';
import type { Fields } from '@retry/core/fields';
import { readOptions } from '@retry/core/fields';
import { BARE_BROKER, readBroker } from './broker.ts';
import { A_CLOCK, systemClock } from './clock.ts';
import type { Emitter } from './emitter.ts';
import { createEmitter } from './emitter.ts';
import type { QueueEvents } from './events.ts';
import { QUEUE_EVENTS } from './events.ts';
import { readRedact } from './options.ts';
import { coalesce } from './queue/batch.ts';
import type { DeadLetters } from './queue/operate/dead-letters.ts';
import { createDeadLetters } from './queue/operate/dead-letters.ts';
import type { Holding } from './queue/operate/holds.ts';
import { createHolding } from './queue/operate/holds.ts';
import type { Operating } from './queue/operate/operating.ts';
import { createOperating } from './queue/operate/operating.ts';
import type { RunResult } from './queue/read-runs.ts';
import { runResult } from './queue/read-runs.ts';
import type { Submitting } from './queue/submit.ts';
import { createSubmitting } from './queue/submit.ts';
import { createResultWaiting } from './queue/wait-for-result.ts';
import type { WaitForResult } from './queue/wait-options.ts';
import { readId } from './queue/wait-options.ts';
import type { Redact } from './settle/stored-error.ts';

/** Submits runs, reads and cancels them, and manages dead letters. */
export interface Queue extends Submitting, Operating, Holding {
  /** Returns the stored run; `undefined` when there is none. */
  readonly get: (id: string) => Promise<Run | undefined>;
  /** Returns the run's state, result, attempts, retries and errors so far; `undefined` when there is no such run. */
  readonly result: (id: string) => Promise<RunResult | undefined>;
  /**
   * Waits until the run has completed and returns its result.
   *
   * @throws {RunFailedError} when it ends in another state, or there is no such run
   * @throws {RunForgottenError} when it is no longer stored: use `keepResult` when submitting a run to wait for
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
  readonly deadLetters: DeadLetters;
  /** Adds a listener for an event and returns a function that removes it. Also on `node:diagnostics_channel` as `retry:queue:<event>`. */
  readonly on: Emitter<QueueEvents>['on'];
}

/** The options of `createQueue`. */
export interface QueueOptions {
  readonly broker: Broker;
  /** Decides what of an error is stored by `fail`, as that of a worker does. @default its name, message and stack */
  readonly redact?: Redact | undefined;
  /** @default the runtime's own clock */
  readonly clock?: Clock | undefined;
}

/** Creates a queue over a broker. @throws {InvalidOptionsError} listing every wrong option */
export function createQueue(options: QueueOptions): Queue {
  const { broker, redact, clock } = readOptions(options, CALL, readParts);
  const emitter = createEmitter<QueueEvents>('queue', QUEUE_EVENTS, clock);
  const waiting = createResultWaiting(broker, clock, emitter);
  const get = async (id: string): Promise<Run | undefined> => (await broker.get([id]))[0];
  const cancel = coalesce<string, CancelAnswer>((ids) => broker.cancel(ids), {
    outstanding: 1,
    isRefusal: (error) => broker.isRefusal(error),
  });
  return {
    ...createSubmitting({ broker, emitter, waiting }),
    ...createOperating({ broker, redact }),
    ...createHolding(broker),
    get: async (id) => get(readId(id, 'get')),
    result: async (id) => {
      const run = await get(readId(id, 'result'));
      return run && runResult(run);
    },
    waitForResult: waiting.waitForResult,
    cancel: async (id) => cancel(readId(id, 'cancel')),
    counts: () => broker.audit(),
    unattended: () => broker.attend(),
    deadLetters: createDeadLetters(broker, clock),
    on: emitter.on,
  };
}

const CALL = { subject: 'queue', keys: ['broker', 'redact', 'clock'], bare: BARE_BROKER };

type QueueSettings = Pick<QueueOptions, 'broker'> & {
  readonly redact: Redact | undefined;
  readonly clock: Clock;
};

function readParts(fields: Fields): QueueSettings {
  const clock = fields.optional('clock', A_CLOCK) ?? systemClock;
  return { broker: readBroker(fields), redact: readRedact(fields), clock };
}
