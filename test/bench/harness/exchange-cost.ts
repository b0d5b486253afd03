import type { Broker, Run, Settlement } from '@retry/core/broker';
import { transitionRun } from '@retry/core/broker/kit';
import { printMarkdown, short } from '../report.ts';

const LANE = 'bench@1';

/** The title of their table. */
export const EXCHANGE_COSTS = 'processor time of the server for a call, retry';

/** What a call costs the server, in microseconds, on average over the calls. */
export type Meter = (calls: number, call: () => Promise<unknown>) => Promise<number>;

/** Prints what our smallest calls cost the server, on average over `calls` of each. */
export async function printExchangeCosts(broker: Broker, calls: number, meter: Meter): Promise<void> {
  await costOfExchanges(broker, meter, Math.ceil(calls / 4)); // warms up
  const costs = await costOfExchanges(broker, meter, calls);
  printMarkdown(
    EXCHANGE_COSTS,
    ['', 'µs'],
    costs.map(([name, usec]) => [name, short(usec)]),
  );
}

/** The cost of our three smallest calls: an exchange with nothing to do, settle 1 and claim 1, and submit 1. */
async function costOfExchanges(
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
