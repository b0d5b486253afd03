import type { Clock, Duration } from '@retry/core';
import type {
  Broker,
  EndAnswer,
  EndRequest,
  OperatorError,
  RescheduleAnswer,
  RescheduleRequest,
} from '@retry/core/broker';
import { endBytes, endRuns, rescheduleRuns } from '@retry/core/broker/kit';
import { wallNowOf } from '@retry/core/clock';
import { QUEUE_SYNONYMS, readOptions } from '@retry/core/fields';
import { isRefused } from '../../broker.ts';
import { clipName, storable } from '../../error-text.ts';
import type { InstantInput } from '../../option-rules.ts';
import { groupOfError } from '../../settle/dead-letter.ts';
import type { Redact } from '../../settle/stored-error.ts';
import { storedError, wellFormed } from '../../settle/stored-error.ts';
import { writeResult } from '../../task/payload.ts';
import { MAX_TEXT_BYTES_BY_DEFAULT } from '../../task/read-task.ts';
import { coalesce } from '../coalesce.ts';
import { readId } from '../results/wait-options.ts';
import type { Start } from '../start.ts';
import { readStart } from '../start.ts';

/** The argument of `queue.reschedule`: one of both, or the later of them. */
export interface RescheduleOptions {
  /** Does not start before this instant. */
  readonly runAt?: InstantInput | undefined;
  /** Does not start before this long from now, by the broker's clock. */
  readonly delay?: Duration | undefined;
}

/** The methods of a queue by which an operator moves or ends runs that wait. */
export interface Operating {
  /**
   * Moves a waiting run to another start, earlier or later. A run that is in its lane and due by then keeps its place.
   *
   * @returns `refused` when it is not waiting, `gone` when there is no such run
   * @throws {InvalidOptionsError} without `runAt` and `delay`, or when one is wrong
   */
  readonly reschedule: (id: string, options: RescheduleOptions) => Promise<RescheduleAnswer>;
  /** Lets a scheduled run start now: it goes to the back of its lane. @returns as `reschedule` does */
  readonly runNow: (id: string) => Promise<RescheduleAnswer>;
  /**
   * Ends a waiting run as failed, a dead letter with this error; nothing is charged, and its task's `deadLetter: { task }` submits
   * nothing. A running one gets a cancel request.
   *
   * @param error - anything; stored as that of a handler, through the queue's `redact`
   * @returns `done`, or `requested`: the worker was asked to cancel it, and the error is not kept
   */
  readonly fail: (id: string, error: unknown) => Promise<EndAnswer>;
  /**
   * Ends a waiting run as completed, with this result. A running one gets a cancel request.
   *
   * @param result - stored as JSON, at most 1 MiB
   * @returns as `fail` does
   * @throws {PayloadError} when the result cannot be stored
   */
  readonly complete: (id: string, result?: unknown) => Promise<EndAnswer>;
}

interface OperatingParts {
  readonly broker: Broker;
  readonly redact: Redact | undefined;
  /** What a `Retry-After` that is a date is compared with. */
  readonly clock: Clock;
}

/** Creates an operator's methods. Calls are sent together, as submissions are. */
export function createOperating(parts: OperatingParts): Operating {
  const { broker } = parts;
  const isRefusal = (error: unknown): boolean => isRefused(broker, error);
  const move = coalesce<RescheduleRequest, RescheduleAnswer>((requests) => rescheduleRuns(broker, requests), {
    outstanding: 1,
    isRefusal,
    orderBy: ({ id }) => id,
  });
  const end = coalesce<EndRequest, EndAnswer>((requests) => endRuns(broker, requests), {
    outstanding: 1,
    bytesOf: endBytes,
    isRefusal,
  });
  return {
    reschedule: async (id, options) => move({ id: readId(id, 'reschedule'), ...readReschedule(options) }),
    runNow: async (id) => move({ id: readId(id, 'runNow') }),
    fail: async (id, thrown) => {
      const error = storableError(thrown, parts);
      return end({ id: readId(id, 'fail'), as: 'failed', error, group: groupOfError(error) });
    },
    complete: async (id, result) =>
      end({
        id: readId(id, 'complete'),
        as: 'completed',
        result: writeResult(result, MAX_TEXT_BYTES_BY_DEFAULT),
      }),
  };
}

const KEYS: readonly (keyof RescheduleOptions)[] = ['runAt', 'delay'];

function readReschedule(options: unknown): Start {
  const call = { subject: 'reschedule', keys: KEYS, synonyms: QUEUE_SYNONYMS };
  return readOptions(options, call, (fields) => {
    if (KEYS.every((key) => fields.value(key) === undefined))
      fields.fail('', 'must have runAt or delay', 'Use runNow(id) to start it now.');
    return readStart(fields);
  });
}

/** An operator's error has no second try, as a handler's has: so nothing is left that a broker could not store. */
function storableError(error: unknown, { redact, clock }: OperatingParts): OperatorError {
  const stored = storedError(error, redact, { at: wallNowOf(clock), stackIs: 'kept' });
  return { ...wellFormed(stored), name: clipName(storable(stored.name)) || 'Error' };
}
