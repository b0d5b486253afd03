import type { Clock } from '@retry/core';
import type { Audit, Broker, CancelAnswer, LaneDepth, Run } from '@retry/core/broker';
import type { Fields } from '@retry/core/fields';
import { readOptions } from '@retry/core/fields';
import { BARE_BROKER, readBroker } from './broker.ts';
import { A_CLOCK, systemClock } from './clock.ts';
import type { Emitter } from './emitter.ts';
import { createEmitter } from './emitter.ts';
import { coalesce } from './queue/coalesce.ts';
import type { DeadLetters } from './queue/dead-letters.ts';
import { createDeadLetters } from './queue/dead-letters.ts';
import type { QueueEvents } from './queue/queue-events.ts';
import { QUEUE_EVENTS } from './queue/queue-events.ts';
import { createResultWaiting } from './queue/result-waiting.ts';
import type { RunResult } from './queue/run-result.ts';
import { runResult } from './queue/run-result.ts';
import type { Submitting } from './queue/submit.ts';
import { createSubmitting } from './queue/submit.ts';
import type { WaitForResult } from './queue/wait-for-result.ts';
import { readId } from './queue/wait-for-result.ts';

/** The producer's side: submits runs and looks after them. */
export interface Queue extends Submitting {
  readonly get: (id: string) => Promise<Run | undefined>;
  /** How the run stands: state, result, attempts, retries and errors so far. */
  readonly result: (id: string) => Promise<RunResult | undefined>;
  /**
   * The result of a run, once it has completed.
   *
   * @throws {RunFailedError} when it ends otherwise, or there was never such a run
   * @throws {RunForgottenError} when it is no longer kept: submit with `keepResult` what you will wait for
   * @throws {WaitTimeoutError} after the timeout
   */
  readonly waitForResult: WaitForResult;
  readonly cancel: (id: string) => Promise<CancelAnswer>;
  /** How many runs are where. */
  readonly counts: () => Promise<Audit>;
  /** The lanes whose runs wait while no worker that is alive works on them. */
  readonly unattended: () => Promise<readonly LaneDepth[]>;
  readonly deadLetters: DeadLetters;
  /** Listens to an event; also on `node:diagnostics_channel` as `retry:queue:<event>`. */
  readonly on: Emitter<QueueEvents>['on'];
}

/** What a queue works with. */
export interface QueueOptions {
  readonly broker: Broker;
  /** @default the runtime's own clock */
  readonly clock?: Clock | undefined;
}

/** A queue over a broker. @throws {InvalidOptionsError} listing every wrong option */
export function createQueue(options: QueueOptions): Queue {
  const { broker, clock } = readOptions(options, CALL, readParts);
  const emitter = createEmitter<QueueEvents>('queue', QUEUE_EVENTS, clock);
  const waiting = createResultWaiting(broker, clock, emitter);
  const get = async (id: string): Promise<Run | undefined> => (await broker.get([id]))[0];
  const cancel = coalesce<string, CancelAnswer>((ids) => broker.cancel(ids), {
    outstanding: 1,
    isRefusal: (error) => broker.isRefusal(error),
  });
  return {
    ...createSubmitting({ broker, emitter, waiting }),
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

const CALL = { subject: 'queue', keys: ['broker', 'clock'], bare: BARE_BROKER };

function readParts(fields: Fields): { readonly broker: Broker; readonly clock: Clock } {
  const clock = fields.optional('clock', A_CLOCK) ?? systemClock;
  return { broker: readBroker(fields), clock };
}
