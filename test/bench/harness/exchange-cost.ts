import type { Broker, Run, Settlement } from '@retry/core/broker';
import { transitionRun } from '@retry/core/broker/kit';

const LANE = 'bench@1';

/** What a call costs the server, in its own unit, on average over the calls. */
export type Meter = (calls: number, call: () => Promise<unknown>) => Promise<number>;

/** The cost of our three smallest calls: an exchange with nothing to do, settle 1 and claim 1, and submit 1. */
export async function costOfExchanges(
  broker: Broker,
  meter: Meter,
  calls: number,
): Promise<readonly (readonly [string, number])[]> {
  let submitted = 0;
  const submitOne = (): Promise<unknown> => {
    submitted += 1;
    return broker.submit([{ id: `bench@${submitted}`, lane: LANE, payload: '{"n":1}' }]);
  };
  let settle: Settlement[] = [];
  let request = 0;
  const exchange = async (): Promise<void> => {
    request += 1;
    const claim = {
      ...{ worker: 'bench', requestId: `${request}`, limit: 1, leaseMs: 30_000 },
      lanes: new Map([[LANE, 1]]),
    };
    const { claimed, now } = await broker.settleAndClaim({ settle, claim });
    settle = claimed.map(({ run }) => completed(run, now));
  };
  const nothing = await meter(calls, exchange);
  const submit = await meter(calls, submitOne);
  await exchange();
  const one = await meter(calls - 1, exchange);
  return [
    ['an exchange with nothing to do', nothing],
    ['settle 1 and claim 1', one],
    ['submit 1', submit],
  ];
}

function completed(run: Run<'started'>, at: number): Settlement {
  const moved = transitionRun(run, { type: 'complete', at });
  if (moved.type === 'rejected') throw new Error('a started run completes');
  return { id: run.id, epoch: run.epoch, event: 'complete', next: moved.run };
}
