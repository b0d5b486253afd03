import { chargedAttempts } from '@retry/core';
import type { Run, SettleAnswer } from '@retry/core/broker';
import type { RunEventType } from '@retry/core/lifecycle';
import type { AnyTask } from '../task/task.ts';
import type { RunNotice, WorkerEmitter } from './events.ts';
import type { Outcome } from './outcome.ts';
import type { Settled } from './settle-outcome.ts';
import { attemptOf } from './settle-outcome.ts';

/** One settled attempt, for those who listen. */
export interface Report {
  readonly task: AnyTask;
  readonly run: Run<'started'>;
  readonly outcome: Outcome;
  readonly settled: Settled;
  readonly durationMs: number;
}

/** Who a run is, in every event about it. */
export function noticeOf(task: AnyTask, run: Run): RunNotice {
  return { id: run.id, task: task.name, version: task.version, attempt: attemptOf(run), epoch: run.epoch };
}

/** How long after the instant it was due the claimed run started, in ms of the broker's clock. */
export function latenessOf({ startedAt = 0, runAt = startedAt }: Run): number {
  return Math.max(startedAt - runAt, 0);
}

/** Object.assign rather than a spread: V8 adds keys to a new object faster than it copies one. */
type Tell = (emitter: WorkerEmitter, report: Report, notice: () => RunNotice) => void;

/** How each settled event is told; the ones of the other side of the lifecycle are none of a worker's. */
const TELL: Partial<Readonly<Record<RunEventType, Tell>>> = {
  complete: (emitter, { run, durationMs }, notice) => {
    emitter.emit('completed', () => Object.assign(notice(), { durationMs, retries: chargedAttempts(run) }));
  },
  cancel: (emitter, _, notice) => emitter.emit('cancelled', notice),
  release: (emitter, _, notice) => emitter.emit('released', notice),
  limit: (emitter, { settled }, notice) => {
    emitter.emit('limited', () => Object.assign(notice(), { next: settled.settlement.next.state }));
  },
  stall: (emitter, { outcome, settled }, notice) => {
    const { state } = settled.settlement.next;
    const error = errorOf(outcome);
    emitter.emit('stalled', () => Object.assign(notice(), { error, next: state }));
    if (state === 'failed')
      emitter.emit('failed', () => Object.assign(notice(), { error, reason: 'stalled' as const }));
  },
  fail: (emitter, { outcome, settled }, notice) => {
    emitter.emit('failed', () =>
      Object.assign(notice(), { error: errorOf(outcome), reason: settled.reason ?? 'unexpected' }),
    );
  },
  retry: (emitter, { outcome, settled }, notice) => {
    const { delayMs = 0, reason = 'expected' } = settled;
    emitter.emit('retried', () => Object.assign(notice(), { error: errorOf(outcome), delayMs, reason }));
  },
};

/** Tells of a settlement once the broker has answered; a refused one is told as `fenced`. */
export function reportSettled(emitter: WorkerEmitter, report: Report, answer: SettleAnswer): void {
  const notice = (): RunNotice => noticeOf(report.task, report.run);
  const { outcome } = report;
  // Retention may forget a completed run before its handler has returned.
  const isForgotten = answer === 'gone' && outcome.type === 'completed' && outcome.isCommitted === true;
  if ((answer === 'fenced' || answer === 'gone') && !isForgotten)
    emitter.emit('fenced', () => Object.assign(notice(), { answer }));
  else TELL[report.settled.settlement.event]?.(emitter, report, notice);
}

function errorOf(outcome: Outcome): unknown {
  return 'error' in outcome ? outcome.error : undefined;
}
