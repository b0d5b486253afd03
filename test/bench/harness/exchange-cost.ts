import type { Broker, Run, Settlement } from '@retry/core/broker';
import { transitionRun } from '@retry/core/broker/kit';
import { printMarkdown, short } from '../report.ts';
import type { Target } from '../targets/target.ts';
import { isMet } from '../targets/target.ts';

const LANE = 'bench@1';

/** The title of their table. */
export const EXCHANGE_COSTS = 'processor time of the server for a call';

/** The smallest calls of a queue. */
export interface SmallCalls {
  /** Submits one run. */
  readonly submit: () => Promise<unknown>;
  /** Settles the run that the exchange before claimed, if it did, and claims one, if there is one. */
  readonly exchange: () => Promise<unknown>;
  /** Calls a script that does nothing. */
  readonly empty?: () => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

/** What a call costs the server, in microseconds, on average over the calls. */
export type Meter = (calls: number, call: () => Promise<unknown>) => Promise<number>;

const NAMES = {
  nothing: 'an exchange with nothing to do',
  exchange: 'settle 1 and claim 1',
  submit: 'submit 1',
} as const;

type Cost = keyof typeof NAMES;
type Costs = Readonly<Record<Cost, number>>;

/** Whose calls are measured. */
export interface Measured {
  readonly ours: SmallCalls;
  /** The same by bare statements. */
  readonly bare: SmallCalls;
  /** @default nothing */
  readonly targets?: Readonly<Record<Cost, Target>>;
}

/** Prints what our smallest calls cost the server, on average over `calls` of each. */
export async function printExchangeCosts(
  { ours, bare, targets }: Measured,
  calls: number,
  meter: Meter,
): Promise<void> {
  const costs = await costsOf(ours, meter, calls);
  const least = await costsOf(bare, meter, calls);
  const emptyMicros = bare.empty && (await meter(calls, bare.empty));
  await Promise.all([ours.close(), bare.close()]);
  const columns = ['', 'retry, µs', ...(targets === undefined ? [] : ['target', 'met']), 'bare, µs'];
  const rowOf = (cost: Cost): string[] => [
    ...[NAMES[cost], short(costs[cost])],
    ...(targets === undefined ? [] : [targets[cost], isMet(targets[cost], [costs[cost]])]),
    short(least[cost]),
  ];
  const rows = (Object.keys(NAMES) as Cost[]).map(rowOf); // its own keys
  if (emptyMicros !== undefined)
    rows.unshift(['a script that does nothing', ...columns.slice(2).map(() => ''), short(emptyMicros)]);
  printMarkdown(EXCHANGE_COSTS, columns, rows);
}

async function costsOf(small: SmallCalls, meter: Meter, calls: number): Promise<Costs> {
  await measure(small, meter, Math.ceil(calls / 4)); // warms up
  return measure(small, meter, calls);
}

async function measure({ submit, exchange }: SmallCalls, meter: Meter, calls: number): Promise<Costs> {
  const nothing = await meter(calls, exchange);
  const one = await meter(calls, submit);
  await exchange();
  return { nothing, submit: one, exchange: await meter(calls - 1, exchange) };
}

/** The smallest calls of a broker of ours. */
export function smallCallsOf(broker: Broker, close: () => Promise<unknown>): SmallCalls {
  let submitted = 0;
  let request = 0;
  let settle: Settlement[] = [];
  return {
    submit: () => {
      submitted += 1;
      return broker.submit([{ id: `bench@${submitted}`, lane: LANE, payload: '{"n":1}' }]);
    },
    exchange: async () => {
      request += 1;
      const claim = {
        ...{ worker: 'bench', requestId: `${request}`, limit: 1, leaseMs: 30_000 },
        lanes: new Map([[LANE, 1]]),
      };
      const { claimed, now } = await broker.exchange({ settle, claim });
      settle = claimed.map(({ run }) => completed(run, now));
    },
    close,
  };
}

function completed(run: Run<'started'>, at: number): Settlement {
  const moved = transitionRun(run, { type: 'complete', at });
  if (moved.type === 'rejected') throw new Error('a started run completes');
  return { id: run.id, epoch: run.epoch, event: 'complete', next: moved.run };
}
