import type { WorkerEmitter } from '../events.ts';
import type { WorkerSettings } from '../options.ts';
import type { Outcome } from '../settle/outcome.ts';
import { noticeOf } from '../settle/report.ts';
import { completeWithin, hasCommitted } from './complete.ts';
import type { ExecutionPort } from './execution.ts';

interface PortParts extends Pick<ExecutionPort, 'onEnd' | 'onRoomFree' | 'renewLease'> {
  readonly settings: WorkerSettings;
  readonly emitter: WorkerEmitter;
  /** Now by the broker's clock, in epoch ms. */
  readonly now: () => number;
  /** Called when a handler has put a lane on hold. */
  readonly onHold: (lane: string) => void;
}

/** Creates what the executions of a worker need of it. */
export function createExecutionPort(parts: PortParts): ExecutionPort {
  const { settings, emitter, now, onHold, onEnd, onRoomFree, renewLease } = parts;
  const { broker, clock, heartbeatMs, abandonMs, name } = settings;
  const onError = (error: unknown): void =>
    emitter.emit('error', () => ({ error, doing: 'asking for a commit' }));
  return {
    ...{ clock, heartbeatMs, abandonMs, renewLease, onEnd, onRoomFree },
    onAbandoned: ({ task, run, durationMs }, error) =>
      emitter.emit('abandoned', () => ({ ...noticeOf(task, run), durationMs, error })),
    onLateReturn: ({ task, run, durationMs }, outcome) =>
      emitter.emit('returnedLate', () => ({ ...noticeOf(task, run), durationMs, ...errorIn(outcome) })),
    log: ({ task, run }, message, details) =>
      emitter.emit('log', () => ({ ...noticeOf(task, run), message, details })),
    complete: (execution, completion) => completeWithin({ ...settings, now }, execution, completion),
    hasCommitted: (execution) => hasCommitted({ ...settings, onError }, execution),
    hold: async ({ task: { lane } }, { forMs, reason }) => {
      if (forMs === 0) return; // over at once: nothing is to be given back for it
      const why = reason === undefined ? {} : { reason };
      await broker.hold([{ lane, source: 'handler', forMs, keepLonger: true, by: name, ...why }]);
      onHold(lane);
    },
  };
}

function errorIn(outcome: Outcome): { readonly error?: unknown } {
  return 'error' in outcome ? { error: outcome.error } : {};
}
