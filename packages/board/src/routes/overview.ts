import type { Audit, Insight, LaneFigures, LaneReport } from '@retry/core/broker';
import { InsightError } from '@retry/worker';
import type { Lateness, OverviewAnswer, RightsAnswer, WorkersAnswer } from '../api.ts';
import { VERSION } from '../version.ts';
import type { Call, Desk } from './call.ts';
import { knownTask } from './policy-of.ts';

/** How long an audit, whose cost grows with the queue, is shown again. */
const AUDIT_MS = 10_000;

/** Returns the insight of the broker. @throws {InsightError} `NO_INSIGHT` */
export function insightOf({ broker }: Desk): Insight {
  if (broker.insight !== undefined) return broker.insight;
  throw new InsightError(
    'NO_INSIGHT',
    'the board needs a broker with insight. Use one of the three of @retry.',
  );
}

/** `GET rights`. */
export async function rights({ desk, visitor }: Call): Promise<RightsAnswer> {
  return {
    ...visitor,
    times: desk.times,
    tasks: [...desk.tasks.values()].map(knownTask),
    ...(VERSION !== undefined && { version: VERSION }),
  };
}

/** `GET overview`. */
export async function overview(desk: Desk): Promise<OverviewAnswer> {
  const [report, holds, audit, { findings, figures }] = await Promise.all([
    insightOf(desk).lanes(),
    desk.queue.holds(),
    auditOf(desk),
    desk.queue.health(),
  ]);
  const lateness = latenessOf(report);
  return {
    at: report.at,
    lanes: report.lanes,
    areAllLanes: report.isComplete,
    ...{ holds, audit, findings, figures },
    ...(lateness && { lateness }),
  };
}

/** `GET workers`. */
export async function workers(desk: Desk): Promise<WorkersAnswer> {
  const [{ now }, live] = await Promise.all([desk.broker.settleAndClaim({}), insightOf(desk).workers()]);
  return { at: now, workers: live };
}

const audits = new WeakMap<Desk, { readonly audit: Promise<Audit>; readonly until: number }>();

function auditOf(desk: Desk): Promise<Audit> {
  const known = audits.get(desk);
  if (known !== undefined && known.until > Date.now()) return known.audit;
  const audit = desk.queue.counts();
  audits.set(desk, { audit, until: Date.now() + AUDIT_MS });
  audit.catch(() => audits.delete(desk));
  return audit;
}

function latenessOf({ lanes }: LaneReport): Lateness | undefined {
  const late = lanes.flatMap(({ rates }: LaneFigures) => (rates ? [rates.maxLatenessMs] : []));
  if (late.length === 0) return undefined;
  late.sort((one, other) => one - other);
  const at = (share: number): number => late[Math.min(Math.floor(share * late.length), late.length - 1)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
