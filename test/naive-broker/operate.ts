import type { EndAnswer, EndRequest, RescheduleAnswer, RescheduleRequest } from '@retry/core/broker';
import { addError, keepableMs } from '@retry/core/broker/kit';
import type { createGroups } from './groups.ts';
import type { Storage } from './storage.ts';
import { ENDED } from './storage.ts';

/** Creates the verbs by which operators end and move waiting runs. */
export function createOperations(
  { runs, move }: Storage,
  groups: Pick<ReturnType<typeof createGroups>, 'join'>,
  requestCancel: (id: string) => void,
) {
  function endOne(request: EndRequest, now: number): EndAnswer {
    const kept = runs.get(request.id);
    if (kept === undefined) return 'gone';
    if (ENDED.includes(kept.run.state)) return 'ended';
    if (kept.run.state === 'started') {
      requestCancel(request.id);
      return 'requested';
    }
    const { epoch, errors } = kept.run;
    const outcome =
      request.as === 'completed'
        ? { result: request.result }
        : { errors: addError(errors, { epoch, at: now, ...request.error, reason: 'ended' }) };
    kept.run = { ...kept.run, ...outcome, isDisposable: undefined };
    move(kept, { type: 'end', at: now, as: request.as });
    groups.join(kept, request.as === 'failed' ? request.group : undefined);
    return 'done';
  }

  function rescheduleOne(request: RescheduleRequest, now: number): RescheduleAnswer {
    const { id, runAt = now, delayMs = 0 } = request;
    const kept = runs.get(id);
    if (kept === undefined) return 'gone';
    const { state } = kept.run;
    if (state !== 'submitted' && state !== 'scheduled') return 'refused';
    const dueAt = keepableMs(Math.max(runAt, now + delayMs));
    if (state === 'submitted' && dueAt <= now) return 'rescheduled';
    move(kept, { type: 'reschedule', at: now, runAt: dueAt });
    return 'rescheduled';
  }

  return { endOne, rescheduleOne };
}
