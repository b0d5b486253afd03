import { randomUUID } from 'node:crypto';
import type { Clock, Duration } from '@retry/core';
import { isRetryError } from '@retry/core';
import type { Broker, Operation, OperationChangeAnswer, OperationRequest } from '@retry/core/broker';
import { changeOperation, getOperation, listOperations, putOperation } from '@retry/core/broker/kit';
import { readOptions } from '@retry/core/fields';
import { isRefused } from '../../broker.ts';
import type { Emitter } from '../../emitter.ts';
import { operationTimeout, tooManyOperations, unknownOperation } from '../../errors.ts';
import type { QueueEvents } from '../../events.ts';
import { sleep } from '../../sleep.ts';
import { readId, readWaitLimits, WAIT_KEYS } from '../results/wait-options.ts';
import { carryStep } from './carrier.ts';

/** How a wait for an operation ends before that has ended. */
export interface OperationWaitOptions {
  /** How long to wait before rejecting with `WAIT_TIMEOUT`; the operation goes on. @default '30s' */
  readonly timeout?: Duration | undefined;
  /** Ends the wait immediately, which rejects with `signal.reason`; the operation goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** The durable operations of a queue. A worker, or the process that applied it, carries each on. */
export interface QueueOperations {
  /** Returns all operations that have not ended and the latest 100 others, newest first. */
  readonly list: () => Promise<readonly Operation[]>;
  /** Returns an operation; `undefined` when it is not kept. */
  readonly get: (id: string) => Promise<Operation | undefined>;
  /** Lets no further run be taken. Those that have got a due time, at most 10 seconds ahead, start then. */
  readonly pause: (id: string) => Promise<OperationChangeAnswer>;
  /** Lets a paused operation go on, from this process if no other carries it. */
  readonly resume: (id: string) => Promise<OperationChangeAnswer>;
  /** Ends an operation as it is; runs that were redriven stay so. */
  readonly cancel: (id: string) => Promise<OperationChangeAnswer>;
  /**
   * Resolves when an operation is done or cancelled.
   *
   * @throws {OperationError} `UNKNOWN_OPERATION`, or `WAIT_TIMEOUT` after the timeout
   */
  readonly wait: (id: string, options?: OperationWaitOptions) => Promise<Operation>;
}

interface OperationsSettings {
  readonly broker: Broker;
  readonly clock: Clock;
  /** A clock that shows the same time, and whose timers do not keep the process alive. */
  readonly background: Clock;
  readonly emitter: Emitter<QueueEvents>;
}

/** The operations of a queue, and how a plan begins one. */
export interface Operations extends QueueOperations {
  /** Keeps a new operation, and carries it on until this process ends. */
  readonly begin: (request: OperationRequest) => Promise<Operation>;
}

/** How often a wait asks for its operation, and how long to wait after an error, in ms. */
const POLL_MS = 100;
const AFTER_ERROR_MS = 1_000;

/** Creates the operations of a queue. */
export function createOperations(settings: OperationsSettings): Operations {
  const { broker } = settings;
  const carry = createCarrying(settings);
  return {
    list: () => listOperations(broker),
    get: async (id) => getOperation(broker, readId(id, 'operations.get')),
    pause: async (id) => changeOperation(broker, readId(id, 'operations'), 'paused'),
    resume: async (id) => {
      const answer = await changeOperation(broker, readId(id, 'operations'), 'running');
      if (answer === 'changed') carry(id);
      return answer;
    },
    cancel: async (id) => changeOperation(broker, readId(id, 'operations'), 'cancelled'),
    wait: async (id, options) => waitFor(settings, { id: readId(id, 'operations.wait'), options }),
    begin: async (request) => {
      if ((await putOperation(broker, request)) === 'full') throw tooManyOperations();
      const operation = await getOperation(broker, request.id);
      if (operation === undefined) throw unknownOperation(request.id);
      carry(operation.id);
      return operation;
    },
  };
}

/** An operation that this process carries on. */
interface Carrying {
  /** Whether it was resumed since the latest step began, which may have found it paused. */
  isAskedAgain: boolean;
}

interface Carried {
  readonly id: string;
  readonly carrier: string;
  /**
   * What is carried on here, by id: each operation is carried on by one loop, since the steps of a second one would fence those of the
   * first.
   */
  readonly carried: Map<string, Carrying>;
}

/** Returns what carries operations on in this process. */
function createCarrying(settings: OperationsSettings): (id: string) => void {
  const carrier = `queue-${randomUUID()}`;
  const carried = new Map<string, Carrying>();
  return (id) => {
    const underWay = carried.get(id);
    if (underWay === undefined) void carryOn(settings, { id, carrier, carried });
    else underWay.isAskedAgain = true;
  };
}

/** Carries an operation on until it has ended, is paused, or another carrier has it. */
async function carryOn(settings: OperationsSettings, { id, carrier, carried }: Carried): Promise<void> {
  const carrying: Carrying = { isAskedAgain: false };
  carried.set(id, carrying);
  try {
    for (let restMs: number | undefined = 0; restMs !== undefined; ) {
      if (restMs > 0) await sleep(settings.background, restMs);
      carrying.isAskedAgain = false;
      restMs = await tryStep(settings, carrier, id);
      if (carrying.isAskedAgain) restMs ??= 0;
    }
  } finally {
    carried.delete(id);
  }
}

/** Returns how long to wait before the next step, in ms; `undefined` when there is none. */
async function tryStep(
  { broker, emitter }: OperationsSettings,
  carrier: string,
  id: string,
): Promise<number | undefined> {
  try {
    return (await carryStep({ broker, random: Math.random, name: carrier }, id))?.restMs;
  } catch (error) {
    if (isRetryError(error, 'BROKER_CLOSED')) return undefined;
    emitter.emit('error', () => ({ error, doing: 'carrying an operation on' }));
    return isRefused(broker, error) ? undefined : AFTER_ERROR_MS;
  }
}

interface Wait {
  readonly id: string;
  readonly options: OperationWaitOptions | undefined;
}

async function waitFor({ broker, clock }: OperationsSettings, { id, options }: Wait): Promise<Operation> {
  const limits = readOptions(options, { subject: 'operations.wait', keys: WAIT_KEYS }, readWaitLimits);
  const { timeoutMs, signal } = limits;
  const until = clock.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const operation = await getOperation(broker, id);
    if (operation === undefined) throw unknownOperation(id);
    if (operation.endedAt !== undefined) return operation;
    if (clock.now() >= until) throw operationTimeout(id, operation.state);
    await sleep(clock, Math.min(POLL_MS, until - clock.now()), signal);
  }
}
