import type { Run, SettleAnswer } from '@retry/core/broker';
import { chargedAttempts } from '@retry/core/broker/kit';
import type { RunEventType } from '@retry/core/lifecycle';
import type { RunNotice, WorkerEmitter, WorkerEvents } from '../events.ts';
import type { AnyTask } from '../task/task.ts';
import type { Outcome } from './outcome.ts';
import type { Settled } from './settlement.ts';
import { attemptOf, thrownIn } from './settlement.ts';

/** One settled attempt, to be reported by the worker's events. */
export interface AttemptReport {
  readonly task: AnyTask;
  readonly run: Run<'started'>;
  readonly outcome: Outcome;
  readonly settled: Settled;
  readonly durationMs: number;
}

/** Returns what every event about a run carries. */
export function noticeOf(task: AnyTask, run: Run): RunNotice {
  return { id: run.id, task: task.name, version: task.version, attempt: attemptOf(run), epoch: run.epoch };
}

/** Returns the event of a completed run, in one literal, because most runs have it. */
function completedNotice({ task, run, durationMs }: AttemptReport): WorkerEvents['completed'] {
  const retries = chargedAttempts(run);
  const { name, version } = task;
  return { id: run.id, task: name, version, attempt: retries + 1, epoch: run.epoch, durationMs, retries };
}

type Emit = (emitter: WorkerEmitter, report: AttemptReport, notice: () => RunNotice) => void;

/**
 * How each settled lifecycle event is reported; a worker settles no others. `Object.assign` rather than a spread: V8 adds
 * keys to a new object faster than it copies one.
 */
const EMIT: Partial<Readonly<Record<RunEventType, Emit>>> = {
  complete: (emitter, report) => emitter.emit('completed', () => completedNotice(report)),
  cancel: (emitter, _, notice) => emitter.emit('cancelled', notice),
  release: (emitter, { settled: { delayMs = 0, releasedBecause: reason } }, notice) => {
    emitter.emit('released', () =>
      Object.assign(notice(), delayMs > 0 && { delayMs }, reason !== undefined && { reason }),
    );
  },
  limit: (emitter, { settled }, notice) => {
    emitter.emit('limited', () => Object.assign(notice(), { next: settled.settlement.next.state }));
  },
  stall: (emitter, { outcome, settled }, notice) => {
    const { state } = settled.settlement.next;
    const error = errorOf(outcome);
    emitter.emit('stalled', () => Object.assign(notice(), { error, next: state }));
    if (state === 'failed')
      emitter.emit('failed', () =>
        Object.assign(notice(), { error, reason: 'stalled' as const }, endOf(settled)),
      );
  },
  fail: (emitter, { outcome, settled }, notice) => {
    emitter.emit('failed', () =>
      Object.assign(
        notice(),
        { error: settled.error ?? errorOf(outcome), reason: settled.reason ?? 'unexpected' },
        endOf(settled),
      ),
    );
  },
  retry: (emitter, { outcome, settled }, notice) => {
    const { delayMs = 0, askedBy } = settled;
    const reason = settled.reason === 'asked' ? ('asked' as const) : ('expected' as const);
    emitter.emit('retried', () =>
      Object.assign(notice(), { error: errorOf(outcome), delayMs, reason }, askedBy && { askedBy }),
    );
  },
};

/** Emits the event of a settlement that the broker has answered; `fenced` when it was not accepted. */
export function reportSettled(emitter: WorkerEmitter, report: AttemptReport, answer: SettleAnswer): void {
  const { outcome } = report;
  const { event } = report.settled.settlement;
  const isUsual = answer === 'ok' && event === 'complete';
  if (isUsual && !emitter.isObserved('completed')) return; // of most runs, so without a closure
  const notice = (): RunNotice => noticeOf(report.task, report.run);
  // Retention may remove a completed run before its handler has returned.
  const isForgotten = answer === 'gone' && outcome.type === 'completed' && outcome.isCommitted === true;
  if ((answer === 'fenced' || answer === 'gone') && !isForgotten)
    emitter.emit('fenced', () => Object.assign(notice(), { answer }));
  else EMIT[event]?.(emitter, report, notice);
}

/** Emits the event of a run that its handler has committed, whatever its worker has made of the attempt. */
export function reportCommitted(emitter: WorkerEmitter, report: AttemptReport): void {
  emitter.emit('completed', () => completedNotice(report));
}

/** What else is said of a run that has failed. */
function endOf(settled: Settled): Pick<WorkerEvents['failed'], 'thrown' | 'isDisposable'> {
  const { isDisposable } = settled.settlement.next;
  return { ...thrownIn(settled), ...(isDisposable === true && { isDisposable }) };
}

function errorOf(outcome: Outcome): unknown {
  return 'error' in outcome ? outcome.error : undefined;
}
