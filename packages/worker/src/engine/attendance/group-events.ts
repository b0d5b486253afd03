import type { GroupNotice, Insight } from '@retry/core/broker';
import type { WorkerEmitter, WorkerEvents } from '../../events.ts';
import { taskOfLane } from '../../task/lane.ts';

/** How often a worker asks for error groups that are new or have doubled, at least, in ms. */
export const GROUP_EVENTS_MS = 5_000;

/** What a worker does meanwhile, as its `error` events say. */
export const LOOKING_FOR_GROUPS = 'looking for new error groups';

/**
 * Emits the error groups that are new or have doubled. Asks for them only where the event has a listener: a worker that has none
 * leaves them to the others.
 */
export async function emitGroups(
  insight: Pick<Insight, 'claimGroupNotices'> | undefined,
  emitter: WorkerEmitter,
): Promise<void> {
  if (insight === undefined || !emitter.isObserved('deadLetterGroup')) return;
  for (const notice of await insight.claimGroupNotices())
    emitter.emit('deadLetterGroup', () => eventOf(notice));
}

function eventOf({ id, title, ...notice }: GroupNotice): WorkerEvents['deadLetterGroup'] {
  const { name: task, version } = taskOfLane(notice.lane);
  return { ...notice, group: { id, title }, task, version };
}
