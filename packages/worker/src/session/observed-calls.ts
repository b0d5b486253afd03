import type { Channel } from 'node:diagnostics_channel';
import { channel } from 'node:diagnostics_channel';
import type { ClaimedRun, Run, Submission } from '@retry/core/broker';
import { latestContext } from '@retry/core/broker/kit';
import type { RunNotice } from '../events.ts';
import { noticeOf } from '../settle/report.ts';
import { keepAttemptContext } from '../settle/stored-error.ts';
import type { AnyTask } from '../task/task.ts';

const SUBMITTING: Channel = channel('retry:queue:submitting');
const HANDLING: Channel = channel('retry:worker:handling');
const CLAIMED: Channel = channel('retry:worker:claimed');

/**
 * A call that submits runs, as it is published on the channel `retry:queue:submitting` before anything is sent. What a subscriber
 * writes counts.
 */
export interface SubmittingCall {
  /** The task's name. */
  readonly task: string;
  /** The task's version. */
  readonly version: string;
  /** The ids of its runs. */
  readonly ids: readonly string[];
  /** Trace context for those of its runs that have none: 1 to 512 bytes. */
  context?: string | undefined;
  /** Sends them; rejects as the call does. May be replaced by a function that calls it. */
  send: () => Promise<unknown>;
}

/** A call of a handler, as it is published on the channel `retry:worker:handling` before. What a subscriber writes counts. */
export interface HandlingCall extends RunNotice {
  /** The trace context that the run was submitted with. */
  readonly context: string | undefined;
  /** The trace context of the latest failed attempt, in whatever process it was made; after a redrive, of that which made it a dead letter. */
  readonly previousContext: string | undefined;
  /** Trace context of this attempt, stored with its error if it fails: 1 to 512 bytes, which every failed attempt of the run then takes. */
  attemptContext?: string | undefined;
  /** Calls the handler; rejects, or throws, as it does. May be replaced by a function that calls it. */
  call: () => unknown;
}

/** A claim that has returned runs, as it is published on the channel `retry:worker:claimed`. */
export interface ClaimedCall {
  /** The name of the worker. */
  readonly worker: string;
  /** How long the broker took to answer, in milliseconds. */
  readonly durationMs: number;
  /** What it returned. */
  readonly runs: readonly Pick<Run, 'id' | 'lane' | 'epoch' | 'context'>[];
}

/** Publishes a claim that has returned runs. */
export function observeClaim(worker: string, claimed: readonly ClaimedRun[], durationMs: number): void {
  if (!CLAIMED.hasSubscribers) return;
  CLAIMED.publish({ worker, durationMs, runs: claimed.map(({ run }) => run) } satisfies ClaimedCall);
}

/** Whether submissions are to be passed through `observeSubmit`. */
export function areSubmissionsObserved(): boolean {
  return SUBMITTING.hasSubscribers;
}

/** Whether handlers are to be called through `observeHandler`. */
export function areHandlersObserved(): boolean {
  return HANDLING.hasSubscribers;
}

/** Publishes a call that submits runs, and makes it. */
export async function observeSubmit<Answer>(
  { name, version }: Pick<AnyTask, 'name' | 'version'>,
  submissions: readonly Submission[],
  send: (submissions: readonly Submission[]) => Promise<Answer>,
): Promise<Answer> {
  let answer: Answer | undefined;
  const call: SubmittingCall = {
    task: name,
    version,
    ids: submissions.map(({ id }) => id),
    send: async () => {
      answer = await send(submissions.map((submission) => withContext(submission, call.context)));
    },
  };
  SUBMITTING.publish(call);
  await call.send();
  return answer as Answer; // `send` was called
}

/** Publishes a call of a handler, and makes it. */
export function observeHandler(
  { task, run }: { readonly task: AnyTask; readonly run: Run },
  handler: () => unknown,
): unknown {
  const call: HandlingCall = {
    ...noticeOf(task, run),
    context: run.context,
    previousContext: latestContext(run),
    call: handler,
  };
  HANDLING.publish(call);
  keepAttemptContext(run, call.attemptContext);
  return call.call();
}

function withContext(submission: Submission, context: string | undefined): Submission {
  return context === undefined || submission.context !== undefined ? submission : { ...submission, context };
}
