import type { Run, Settlement } from '@retry/core/broker';
import type { WorkerSettings } from '../options.ts';
import { settle } from '../settle/settlement.ts';
import type { Settler } from '../settle/settler.ts';
import { taskOfLane } from '../task/lane.ts';
import { newRequestId } from './exchanger.ts';
import type { WorkerContext } from './worker-context.ts';

/** The most runs of one page, or of one claim. */
const PAGE_SIZE = 1_000;

/**
 * Drops runs of lanes that no live worker knows: those that wait, and those whose lease has expired. With the worker's
 * `onUnknown: 'drop'`, of every such lane; with a task's, of other versions of that task.
 */
export async function dropUnknown(worker: WorkerContext, settler: Settler): Promise<void> {
  const { settings } = worker;
  await dropExpired(worker, settler);
  const onError = (error: unknown): void => worker.emitError(error, 'dropping');
  for (const { lane } of await settings.broker.attend()) {
    // A lane that cannot be claimed from does not prevent the others.
    if (dropsLane(lane, settings)) await dropLane(lane, worker, settler).catch(onError);
  }
}

/** Whether the worker, or any of its tasks, has `onUnknown: 'drop'`. */
export function dropsUnknown({ onUnknown, tasks }: WorkerSettings): boolean {
  return onUnknown === 'drop' || [...tasks.values()].some((task) => task.onUnknown === 'drop');
}

/** Whether runs of this lane are dropped, if no live worker knows it. */
function dropsLane(lane: string, { onUnknown, tasks }: WorkerSettings): boolean {
  if (tasks.has(lane)) return false;
  if (onUnknown === 'drop') return true;
  const { name } = taskOfLane(lane);
  return [...tasks.values()].some((task) => task.onUnknown === 'drop' && task.name === name);
}

/** Drops a lane page by page, until it is empty or a worker for it has started. */
async function dropLane(lane: string, worker: WorkerContext, settler: Settler): Promise<void> {
  const { broker, name, leaseMs } = worker.settings;
  const lanes = new Map([[lane, PAGE_SIZE]]);
  while (!worker.stopping.signal.aborted) {
    if ((await attendedAmong(worker.settings, new Set([lane]))).length > 0) return;
    const claim = { worker: name, requestId: newRequestId(), limit: PAGE_SIZE, lanes, leaseMs };
    const { claimed } = await broker.exchange({ claim });
    if (claimed.length === 0) return;
    await Promise.all(claimed.map(({ run }) => drop(run, worker, settler)));
  }
}

/**
 * Drops expired runs of lanes that neither this worker knows, nor any other live one, whose cleaner will settle them. In such a lane
 * nothing else may wait, so it is found by its runs.
 */
async function dropExpired(worker: WorkerContext, settler: Settler): Promise<void> {
  const { settings } = worker;
  const { broker, tasks } = settings;
  const left = new Set(tasks.keys());
  let hasProgress = true;
  // Ends when a page drops nothing: runs that are refused for good would be found again and again.
  while (hasProgress && !worker.stopping.signal.aborted) {
    const expired = await broker.findExpired(PAGE_SIZE, { exceptLanes: [...left] });
    const lanes = await lanesToLeave(settings, new Set(expired.map(({ lane }) => lane)));
    for (const lane of lanes) left.add(lane);
    const dropped = expired.filter(({ lane }) => !left.has(lane));
    // Those that are left hide others behind them.
    const drops = dropped.map((run) => drop(run as Run<'started'>, worker, settler, { onlyIfExpired: true })); // expired runs are started
    hasProgress = (await Promise.all(drops)).includes(true) || lanes.length > 0;
  }
}

/** Returns those of the lanes whose runs are not dropped: by the options, or because a live worker knows them. */
async function lanesToLeave(
  settings: WorkerSettings,
  lanes: ReadonlySet<string>,
): Promise<readonly string[]> {
  const dropped = new Set([...lanes].filter((lane) => dropsLane(lane, settings)));
  const attended = await attendedAmong(settings, dropped);
  return [...[...lanes].filter((lane) => !dropped.has(lane)), ...attended];
}

/** Returns the lanes that a live worker knows; of a broker without figures, all that are not among its unattended ones. */
async function attendedAmong(
  { broker }: WorkerSettings,
  lanes: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (lanes.size === 0) return [];
  if (broker.figures === undefined) {
    const unattended = new Set((await broker.attend()).map(({ lane }) => lane));
    return [...lanes].filter((lane) => !unattended.has(lane));
  }
  const report = await broker.figures({ lanes: { lanes: [...lanes] } });
  return report.lanes.lanes.flatMap(({ lane, workers }) => (workers > 0 ? [lane] : []));
}

async function drop(
  run: Run<'started'>,
  worker: WorkerContext,
  settler: Settler,
  condition?: Pick<Settlement, 'onlyIfExpired'>,
): Promise<boolean> {
  const settlement = settle(run, [{ type: 'drop', at: worker.now() }]);
  const isDropped = await settler.send({ ...settlement, ...condition });
  if (isDropped) worker.emitter.emit('dropped', () => ({ id: run.id, lane: run.lane }));
  return isDropped;
}
