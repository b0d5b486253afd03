import type { EndAnswer, EndRequest, Run } from '@retry/core/broker';
import { addError } from '@retry/core/broker/kit';
import { freeSlot } from '../record/concurrency-keys.ts';
import { endRun } from '../record/ended-runs.ts';
import { move } from '../record/entry.ts';
import type { Store } from '../record/store.ts';
import { removeWaiting } from '../record/waiting.ts';
import { requestCancel } from './cancel.ts';

/** Ends a waiting run as an operator decides, or leaves a cancel request for the worker of a started one. */
export function endByHand(store: Store, request: EndRequest, now: number): EndAnswer {
  const entry = store.entries.get(request.id);
  if (entry === undefined) return 'gone';
  if (entry.location === 'ended' || entry.location === 'awaited') return 'ended';
  if (entry.location === 'leased') {
    requestCancel(store, entry);
    return 'requested';
  }
  removeWaiting(store, entry);
  freeSlot(store, entry);
  const ended = move(entry.run, { type: 'end', at: now, as: request.as });
  entry.run = { ...ended, ...outcomeOf(ended, request, now), isDisposable: undefined };
  endRun(store, entry);
  return 'done';
}

function outcomeOf({ epoch, errors }: Run, request: EndRequest, now: number): Pick<Run, 'result' | 'errors'> {
  if (request.as === 'completed') return { result: request.result, errors };
  const { name, message, stack } = request.error;
  const error = { epoch, at: now, name, message, ...(stack !== undefined && { stack }) };
  return { result: undefined, errors: addError(errors, error) };
}
