import type { EndAnswer, EndRequest } from '@retry/core/broker';
import { withOutcome } from '@retry/core/broker/kit';
import { move } from '../record/entry.ts';
import type { Store } from '../record/store.ts';
import { endWaiting } from '../record/waiting.ts';

/** Ends a waiting run as an operator decides, or leaves a cancel request for the worker of a started one. */
export function endByHand(store: Store, request: EndRequest, now: number): EndAnswer {
  const { id, as } = request;
  return endWaiting(store, id, {
    done: 'done',
    group: request.as === 'failed' ? request.group : undefined,
    end: (run) => withOutcome(move(run, { type: 'end', at: now, as }), request, now),
  });
}
