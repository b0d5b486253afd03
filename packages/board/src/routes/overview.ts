import type { Broker, LaneFigures, LaneReport, ReadFigures } from '@retry/core/broker';
import { listWorkers } from '@retry/core/broker/kit';
import { InsightError } from '@retry/worker';
import type { Lateness, OverviewAnswer, RightsAnswer, WorkersAnswer } from '../api.ts';
import { VERSION } from '../version.ts';
import { auditOf } from './audit-of.ts';
import type { Call, Desk } from './call.ts';
import { knownTask } from './policy-of.ts';

/** Returns the verb for figures. @throws {InsightError} `NO_INSIGHT` */
export function figuresOf({ broker }: Desk): ReadFigures {
  if (broker.figures !== undefined) return broker.figures;
  throw new InsightError('the board');
}

/** `GET rights`. */
export async function rights({ desk, visitor }: Call): Promise<RightsAnswer> {
  const at = await timeOf(desk.broker);
  return {
    ...visitor,
    ...(at !== undefined && { at }),
    times: desk.times,
    ...(desk.name !== undefined && { name: desk.name }),
    tasks: [...desk.tasks.values()].map(knownTask),
    ...(VERSION !== undefined && { version: VERSION }),
  };
}

/** How long the page waits for the broker's clock: without the broker it opens, too, and its screens say what is wrong. */
const MAX_WAIT_MS = 1_000;

/** Returns now by the broker's clock; `undefined` where the broker does not answer soon. */
function timeOf(broker: Broker): Promise<number | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), MAX_WAIT_MS);
    const answered = broker.exchange({}).then(
      ({ now }) => resolve(now),
      () => resolve(undefined),
    );
    void answered.finally(() => clearTimeout(timer));
  });
}

/** `GET overview`. */
export async function overview(desk: Desk): Promise<OverviewAnswer> {
  const [{ lanes: report }, audit, { findings, figures }] = await Promise.all([
    figuresOf(desk)({ lanes: {} }),
    auditOf(desk),
    desk.queue.health(),
  ]);
  const lateness = latenessOf(report);
  return {
    at: report.at,
    lanes: report.lanes,
    ...{ holds: report.holds, audit, findings, figures },
    ...(lateness && { lateness }),
  };
}

/** `GET workers`. */
export async function workers(desk: Desk): Promise<WorkersAnswer> {
  const [{ now }, live] = await Promise.all([desk.broker.exchange({}), listWorkers(desk.broker)]);
  return { at: now, workers: live };
}

function latenessOf({ lanes }: LaneReport): Lateness | undefined {
  const late = lanes.flatMap(({ rates }: LaneFigures) => (rates ? [rates.maxLatenessMs] : []));
  if (late.length === 0) return undefined;
  late.sort((one, other) => one - other);
  const at = (share: number): number => late[Math.min(Math.floor(share * late.length), late.length - 1)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
