import type { Broker } from '@retry/core/broker';
import {
  cancelRuns,
  changeOperation,
  discardRuns,
  holdLanes,
  putOperation,
  redriveRuns,
  rescheduleRuns,
  resumeLanes,
} from '@retry/core/broker/kit';
import { settlementOf } from './settle.ts';

/** What operators ask for, and what they are answered, once `setUpOperated` has made what it is about. */
export const OPERATOR_CALLS: Readonly<
  Record<string, readonly [call: (broker: Broker) => Promise<unknown>, answer: unknown]>
> = {
  resume: [(broker) => resumeLanes(broker, [{ lane: 'l' }]), ['resumed']],
  'cancel an operation': [(broker) => changeOperation(broker, 'o', 'cancelled'), 'changed'],
  cancel: [(broker) => cancelRuns(broker, ['w']), ['cancelled']],
  reschedule: [(broker) => rescheduleRuns(broker, [{ id: 'w', delayMs: 60_000 }]), ['rescheduled']],
  redrive: [(broker) => redriveRuns(broker, ['d']), ['redriven']],
  discard: [(broker) => discardRuns(broker, ['d']), ['discarded']],
};

/** Makes a run `w` that waits, one `d` that has failed, a lane on hold, and an operation. */
export async function setUpOperated(broker: Broker): Promise<void> {
  await broker.submit([{ id: 'd', lane: 'l', payload: '1' }]);
  const claim = { worker: 'w', requestId: 'r', limit: 1, lanes: new Map([['l', 1]]), leaseMs: 60_000 };
  const { claimed, now } = await broker.exchange({ claim });
  await broker.exchange({ settle: claimed.map(({ run }) => settlementOf(run, { type: 'fail', at: now })) });
  await broker.submit([{ id: 'w', lane: 'l', payload: '1' }]);
  await holdLanes(broker, [{ lane: 'l', source: 'operator' }]);
  const filter = { state: 'failed', endedBefore: Number.MAX_SAFE_INTEGER } as const;
  await putOperation(broker, { id: 'o', kind: 'redrive', filter, planned: 1, isPlanExact: true });
}
