import type { Operation } from '@retry/core/broker';
import type { Plan } from '@retry/worker';
import type { Connected } from '../connect/with-queue.ts';
import { withQueueInSteps } from '../connect/with-queue.ts';
import type { CliEnvironment } from '../environment.ts';
import { userOf } from '../environment.ts';
import { EXIT } from '../exit.ts';
import { doneText } from '../operations/operation-table.ts';
import type { Action, Input, Report } from '../report.ts';
import { noteAbsentTask } from '../runs/absent-task.ts';
import { endBySignal } from '../signals.ts';
import { confirm } from '../terminal/dialog.ts';
import { instantsAsText } from '../terminal/instants-as-text.ts';
import type { Screen } from '../terminal/screen.ts';
import { wrap } from '../terminal/screen.ts';
import type { Followed } from './follow-operation.ts';
import { followOperation } from './follow-operation.ts';
import type { LeftOut } from './left-out.ts';
import { leftOut, leftOutText } from './left-out.ts';
import type { BulkOptions, Kind } from './plan.ts';
import { planFor } from './plan.ts';
import type { ShownPlan } from './plan-text.ts';
import { durationOf, planText } from './plan-text.ts';

/** Sends dead letters back to their lanes; with `--apply` only. */
export const redriveAction: Action<BulkOptions> = (input) => bulk('redrive', input);

/** Deletes dead letters for good; with `--apply` only. */
export const discardAction: Action<BulkOptions> = (input) => bulk('discard', input);

async function bulk(kind: Kind, input: Input<BulkOptions>): Promise<Report> {
  const { args: ids, options, environment } = input;
  return withQueueInSteps(input, async (connected, note) => {
    const plan = await planFor(connected.queue, ids, options);
    // Of ids that were named, each has to be a dead letter.
    const areAllDead = plan.count >= new Set(ids).size;
    const left = areAllDead ? [] : await leftOut(connected.queue, ids, options.state);
    const exitCode = areAllDead ? EXIT.fine : EXIT.found;
    const shown = { kind, plan, options };
    if (options.apply !== true || plan.count === 0) {
      const advice = plan.count === 0 ? '' : 'Nothing was changed: --apply does it.';
      const absent = await noteAbsentTask(connected, { task: options.task, isEmpty: plan.count === 0 });
      return { ...planned(shown, left, advice), exitCode, ...absent };
    }
    const question = `Delete ${plan.count} dead letters for good?`;
    const mayAsk = kind === 'discard' && options.yes !== true && options.json !== true;
    if (mayAsk && !(await confirm(question, environment))) {
      return { ...planned(shown, left, 'Nothing was deleted.'), exitCode: EXIT.found };
    }
    const begun = await begin({ kind, plan }, options, environment);
    if (options.detach === true) return { ...applied(kind, begun, left), exitCode };
    note(applied(kind, begun, left));
    const { operation, signal } = await follow({ kind, plan, begun }, connected, input);
    const areNamedDone = ids.length === 0 || operation.skipped === 0;
    const isDone = operation.state === 'done' && areNamedDone;
    const end = signal === undefined ? { exitCode: isDone ? exitCode : EXIT.found } : endBySignal(signal);
    return { ...applied(kind, operation, left), ...end };
  });
}

/** The ids that were named and are no dead letters, as a report has them: nothing where there are none. */
function ofLeft(left: readonly LeftOut[]) {
  if (left.length === 0) return { json: {}, text: '' };
  return { json: { leftOut: left }, text: `\n\n${leftOutText(left)}` };
}

/** @param advice - what follows the plan, if anything does */
function planned({ kind, plan, options }: ShownPlan, left: readonly LeftOut[], advice: string): Report {
  const durationMs = kind === 'redrive' ? durationOf(plan, options) : 0;
  const { apply, tasks, ...facts } = plan;
  const json = {
    kind,
    applied: false,
    plan: { ...facts, tasks: tasks.map(({ policy, ...task }) => task), durationMs },
    ...ofLeft(left).json,
  };
  return {
    json: instantsAsText(json),
    text: (screen) =>
      planText({ kind, plan, options }, screen) + ofLeft(left).text + (advice === '' ? '' : `\n\n${advice}`),
  };
}

interface Work {
  readonly kind: Kind;
  readonly plan: Plan;
}

function begin(
  { kind, plan }: Work,
  { rate, spread, reason, by }: BulkOptions,
  environment: CliEnvironment,
): Promise<Operation> {
  return plan.apply({
    kind,
    ...(rate !== undefined && { perSecond: rate }),
    ...(spread !== undefined && { spread }),
    reason,
    by: by ?? userOf(environment),
  });
}

function follow(
  { kind, plan, begun }: Work & { readonly begun: Operation },
  { queue: { operations } }: Connected,
  { options, environment }: Input<BulkOptions>,
): Promise<Followed> {
  const look = async (): Promise<Operation> => (await operations.get(begun.id)) ?? begun;
  const title = kind === 'redrive' ? 'Redriving' : 'Discarding';
  const progress = { title, total: plan.count, isSilent: options.json === true };
  return followOperation(begun, look, { progress, environment });
}

function applied(
  kind: Kind,
  { carrier, carriedUntil, ...operation }: Operation,
  left: readonly LeftOut[],
): Report {
  return {
    json: instantsAsText({ kind, applied: true, operation, ...ofLeft(left).json }),
    text: (screen) => appliedText(operation, screen) + ofLeft(left).text,
  };
}

function appliedText(operation: Operation, screen: Screen): string {
  const { id, kind, state, skipped } = operation;
  const what = kind === 'redrive' ? 'redriven' : 'discarded';
  const left = skipped === 0 ? '' : `; ${skipped} had changed since the plan, and were left as they are`;
  if (state === 'done') return wrap(`${doneText(operation)} ${what}${left}.`, screen.width);
  const all = `Operation ${id} is ${state}: ${doneText(operation)} ${what}.${NEXT[state](id)}`;
  return wrap(all, screen.width);
}

/** What follows by itself, and what a person can do about it. */
const NEXT: Readonly<Record<Operation['state'], (id: string) => string>> = {
  running: (id) => ` Workers carry it on; retry operations cancel ${id} stops it.`,
  paused: (id) => ` retry operations resume ${id} carries it on.`,
  cancelled: () => '',
  done: () => '',
};
