import { randomUUID } from 'node:crypto';
import type { ExpiredScope, Run, Settlement } from '@retry/core/broker';
import type { WorkerSettings } from '../options.ts';
import { settle } from '../settle/settlement.ts';

/** The most runs of one page, or of one claim. */
const PAGE_SIZE = 1_000;

/** What dropping needs of its worker. */
export interface DropPort {
  /** Now by the broker's clock, in epoch ms. */
  readonly now: () => number;
  /** Sends a settlement. @returns whether it was written */
  readonly send: (settlement: Settlement) => Promise<boolean>;
  readonly onDropped: (run: Run) => void;
  readonly onError: (error: unknown) => void;
  readonly isStopping: () => boolean;
}

/**
 * Drops runs of lanes that no live worker knows: those that wait, and those whose lease has expired. With the worker's
 * `onUnknown: 'drop'`, of every such lane; with a task's, of other versions of that task.
 */
export async function dropUnknown(settings: WorkerSettings, port: DropPort): Promise<void> {
  if (settings.onUnknown === 'drop') {
    await dropExpiredUnknown(settings, port);
    await dropLanes(await unknownLanes(settings), settings, port);
    return;
  }
  const lanes = await orphanedVersions(settings);
  if (lanes.size > 0) await dropExpired({ lanes: [...lanes] }, settings, port);
  await dropLanes(lanes, settings, port);
}

async function dropLanes(lanes: Iterable<string>, settings: WorkerSettings, port: DropPort): Promise<void> {
  for (const lane of lanes) {
    // A lane that cannot be claimed from does not prevent the others.
    await dropLane(settings, lane, port).catch(port.onError);
  }
}

/** Whether the worker, or any of its tasks, has `onUnknown: 'drop'`. */
export function dropsUnknown({ onUnknown, tasks }: WorkerSettings): boolean {
  return onUnknown === 'drop' || [...tasks.values()].some((task) => task.onUnknown === 'drop');
}

/** Unknown lanes with waiting runs that have no live worker. */
async function unknownLanes({ broker, tasks }: WorkerSettings): Promise<ReadonlySet<string>> {
  const unattended = await broker.attend();
  return new Set(unattended.map(({ lane }) => lane).filter((lane) => !tasks.has(lane)));
}

/** Lanes without a live worker that are other versions of tasks with `onUnknown: 'drop'`. */
async function orphanedVersions({ broker, tasks }: WorkerSettings): Promise<ReadonlySet<string>> {
  const dropping = [...tasks.values()].filter(({ onUnknown }) => onUnknown === 'drop');
  const unattended = await broker.attend();
  const lanes = unattended.map(({ lane }) => lane).filter((lane) => !tasks.has(lane));
  return new Set(lanes.filter((lane) => dropping.some(({ name }) => lane.startsWith(`${name}@`))));
}

async function dropLane(
  { broker, name, leaseMs }: WorkerSettings,
  lane: string,
  port: DropPort,
): Promise<void> {
  const lanes = new Map([[lane, PAGE_SIZE]]);
  while (!port.isStopping()) {
    const claim = { worker: name, requestId: randomUUID(), limit: PAGE_SIZE, lanes, leaseMs };
    const { claimed } = await broker.settleAndClaim({ claim });
    if (claimed.length === 0) return;
    await Promise.all(claimed.map(({ run }) => drop(run, port)));
  }
}

/** Drops expired runs of lanes that neither this worker knows, nor any other live one, whose cleaner will settle them. */
async function dropExpiredUnknown(settings: WorkerSettings, port: DropPort): Promise<void> {
  const { broker, tasks } = settings;
  const known = new Set(tasks.keys());
  let hasProgress = true;
  while (hasProgress && !port.isStopping()) {
    const expired = await broker.findExpired(PAGE_SIZE, { exceptLanes: [...known] });
    const attended = await attendedAmong(settings, new Set(expired.map(({ lane }) => lane)));
    for (const lane of attended) known.add(lane);
    const unknown = expired.filter(({ lane }) => !known.has(lane));
    // Those that are known hide others behind them.
    hasProgress = (await dropAll(unknown, port)) || attended.length > 0;
  }
}

/** Returns the lanes that a live worker knows; of a broker without insight, all that are not among its unattended ones. */
async function attendedAmong(
  { broker }: WorkerSettings,
  lanes: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (lanes.size === 0) return [];
  if (broker.insight === undefined) {
    const unattended = new Set((await broker.attend()).map(({ lane }) => lane));
    return [...lanes].filter((lane) => !unattended.has(lane));
  }
  const report = await broker.insight.lanes({ lanes: [...lanes] });
  return report.lanes.flatMap(({ lane, workers }) => (workers > 0 ? [lane] : []));
}

async function dropExpired(scope: ExpiredScope, { broker }: WorkerSettings, port: DropPort): Promise<void> {
  let hasProgress = true;
  // Ends when a page drops nothing: runs that are refused for good would be found again and again.
  while (hasProgress && !port.isStopping()) {
    const expired = await broker.findExpired(PAGE_SIZE, scope);
    hasProgress = await dropAll(expired, port);
  }
}

/** Returns whether one of the expired runs was dropped. */
async function dropAll(expired: readonly Run[], port: DropPort): Promise<boolean> {
  const answers = await Promise.all(
    expired.map((run) => drop(run as Run<'started'>, port, { onlyIfExpired: true })), // expired runs are started
  );
  return answers.includes(true);
}

async function drop(
  run: Run<'started'>,
  port: DropPort,
  condition?: Pick<Settlement, 'onlyIfExpired'>,
): Promise<boolean> {
  const isDropped = await port.send({ ...settle(run, [{ type: 'drop', at: port.now() }]), ...condition });
  if (isDropped) port.onDropped(run);
  return isDropped;
}
