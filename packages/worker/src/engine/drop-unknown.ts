import type { Run, Settlement } from '@retry/core/broker';
import type { WorkerEmitter } from '../events.ts';
import type { WorkerSettings } from '../options.ts';
import { settle } from '../settle/settlement.ts';
import type { Settler } from '../settle/settler.ts';
import { taskOfLane } from '../task/lane.ts';
import type { Exchanger } from './exchanger.ts';
import { newRequestId } from './exchanger.ts';

/** The most runs of one page, or of one claim. */
const PAGE_SIZE = 1_000;

/** What dropping works with. */
interface DropParts {
  readonly emitter: WorkerEmitter;
  readonly exchanger: Exchanger;
  readonly settler: Settler;
  /** Aborts when the worker stops. */
  readonly stopping: AbortSignal;
}

/**
 * Drops runs of lanes that no live worker knows: those that wait, and those whose lease has expired. With the worker's
 * `onUnknown: 'drop'`, of every such lane; with a task's, of other versions of that task.
 */
export async function dropUnknown(settings: WorkerSettings, parts: DropParts): Promise<void> {
  await dropExpired(settings, parts);
  const onError = (error: unknown): void => parts.emitter.emit('error', () => ({ error, doing: 'dropping' }));
  for (const { lane } of await settings.broker.attend()) {
    // A lane that cannot be claimed from does not prevent the others.
    if (dropsLane(lane, settings)) await dropLane(settings, lane, parts).catch(onError);
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

async function dropLane(
  { broker, name, leaseMs }: WorkerSettings,
  lane: string,
  parts: DropParts,
): Promise<void> {
  const lanes = new Map([[lane, PAGE_SIZE]]);
  while (!parts.stopping.aborted) {
    const claim = { worker: name, requestId: newRequestId(), limit: PAGE_SIZE, lanes, leaseMs };
    const { claimed } = await broker.exchange({ claim });
    if (claimed.length === 0) return;
    await Promise.all(claimed.map(({ run }) => drop(run, parts)));
  }
}

/**
 * Drops expired runs of lanes that neither this worker knows, nor any other live one, whose cleaner will settle them. In such a lane
 * nothing else may wait, so it is found by its runs.
 */
async function dropExpired(settings: WorkerSettings, parts: DropParts): Promise<void> {
  const { broker, tasks } = settings;
  const left = new Set(tasks.keys());
  let hasProgress = true;
  // Ends when a page drops nothing: runs that are refused for good would be found again and again.
  while (hasProgress && !parts.stopping.aborted) {
    const expired = await broker.findExpired(PAGE_SIZE, { exceptLanes: [...left] });
    const lanes = await lanesToLeave(settings, new Set(expired.map(({ lane }) => lane)));
    for (const lane of lanes) left.add(lane);
    const dropped = expired.filter(({ lane }) => !left.has(lane));
    // Those that are left hide others behind them.
    hasProgress = (await dropAll(dropped, parts)) || lanes.length > 0;
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

/** Returns whether one of the expired runs was dropped. */
async function dropAll(expired: readonly Run[], parts: DropParts): Promise<boolean> {
  const answers = await Promise.all(
    expired.map((run) => drop(run as Run<'started'>, parts, { onlyIfExpired: true })), // expired runs are started
  );
  return answers.includes(true);
}

async function drop(
  run: Run<'started'>,
  parts: DropParts,
  condition?: Pick<Settlement, 'onlyIfExpired'>,
): Promise<boolean> {
  const { emitter, exchanger, settler } = parts;
  const settlement = settle(run, [{ type: 'drop', at: exchanger.now() }]);
  const isDropped = await settler.send({ ...settlement, ...condition });
  if (isDropped) emitter.emit('dropped', () => ({ id: run.id, lane: run.lane }));
  return isDropped;
}
