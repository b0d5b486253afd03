import { randomUUID } from 'node:crypto';
import type { Operation } from '@retry/core/broker';
import type { Fields } from '@retry/core/fields';
import type { AppliedOperation, ApplyOptions, Plan, PlanFilter as QueueFilter } from '@retry/worker';
import type { ApplyRequest, OperationAnswer, PlanAnswer, PlanFilter, PlanTask } from '../api.ts';
import { BoardError } from '../errors.ts';
import { commandOf } from '../show/command.ts';
import { shownText } from '../show/shown-text.ts';
import { demandReason, readBody, valuesOf } from './body.ts';
import type { Call, Desk, KeptPlan } from './call.ts';
import { demand } from './call.ts';

const FILTER_KEYS: readonly (keyof PlanFilter)[] = [
  ...(['ids', 'task', 'version', 'group', 'errorName', 'olderThan', 'newerThan', 'state'] as const),
];

const APPLY_KEYS: readonly (keyof ApplyRequest)[] = [
  ...(['kind', 'perSecond', 'spread', 'keepAttempts', 'reason'] as const),
];

const MAX_TITLE = 512;

/** The most tasks of a plan whose titles are shown: each title is masked once for each task. */
const MAX_MASKING_TASKS = 100;

const UNSHOWN_TITLE = '(the tasks of the plan mask it differently)';

/** `POST plans`. */
export async function makePlan({ desk, body }: Call): Promise<PlanAnswer> {
  const filter = readBody<PlanFilter>(body, { subject: 'plan', keys: FILTER_KEYS }, readFilter);
  const plan = await desk.queue.deadLetters.plan({
    ...withTask(desk, filter),
    tasks: [...desk.tasks.values()],
  });
  const id = randomUUID();
  desk.plans.put(id, { plan });
  const { at, count, isComplete, load, firstIds } = plan;
  return {
    ...{ id, filter, at, count, isComplete, load, firstIds },
    groups: plan.groups.map((group) => ({ ...group, title: maskedTitle(desk, group.title, plan.tasks) })),
    tasks: plan.tasks.map(planTask),
    command: planCommand(filter),
  };
}

/** What each may be is for the queue to say; but by `all`, of which that speaks, no visitor selects. */
function readFilter(fields: Fields): PlanFilter {
  const filter = valuesOf<PlanFilter>(fields, FILTER_KEYS);
  if (Object.keys(filter).length === 0) fields.fail('', 'selects nothing', FILTER_CURE);
  return filter;
}

const FILTER_CURE =
  "Name ids, task, group, errorName, olderThan or newerThan; { state: 'failed' } is every one of that state.";

/** `POST plans/:id/apply`. */
export async function applyPlan(call: Call): Promise<OperationAnswer> {
  const { desk, visitor, param, body } = call;
  const { kind, ...request } = readBody<ApplyRequest>(
    body,
    { subject: 'apply', keys: APPLY_KEYS },
    readApply,
  );
  demand(visitor, kind);
  const kept = desk.plans.get(param('id'));
  if (kept === undefined) throw new BoardError('PLAN_GONE', PLAN_GONE);
  if (kept.applied !== undefined && kept.applied.kind !== kind)
    throw new BoardError('PLAN_GONE', `the plan is applied as a ${kept.applied.kind}. Make another one.`);
  kept.applied ??= { kind, operation: apply(call, kept, { kind, ...request }) };
  return { operation: await kept.applied.operation };
}

/** Applies a plan, which can be applied again only after that has failed. */
async function apply(
  { desk, visitor: { by }, param }: Call,
  kept: KeptPlan,
  request: ApplyRequest,
): Promise<Operation> {
  const who = by === undefined ? {} : { by };
  const { kind, reason } = request;
  const applied: { operation?: AppliedOperation } = {};
  try {
    await desk.acts.perform({ kind: `apply-${kind}`, target: param('id'), reason, ...who }, async () => {
      applied.operation = await kept.plan.apply({ ...request, ...who } as ApplyOptions); // checked by the plan
      return { answer: 'applied', id: applied.operation.id };
    });
  } catch (error) {
    kept.applied = undefined;
    throw error;
  }
  const { wait: _, ...operation } = applied.operation as AppliedOperation; // performed
  return operation;
}

function readApply(fields: Fields): ApplyRequest {
  demandReason(fields);
  const kind = fields.choice('kind', 'redrive', ['redrive', 'discard']);
  return { ...valuesOf<ApplyRequest>(fields, APPLY_KEYS), kind };
}

/** The task itself, where the board knows it: keeping attempts needs its policy. */
function withTask({ tasks }: Desk, filter: PlanFilter): QueueFilter {
  const { task, version, ...rest } = filter;
  const known = [...tasks.values()].find((each) => each.name === task && each.version === version);
  const whose = known === undefined ? { task, version } : { task: known };
  const written = Object.entries({ ...rest, ...whose }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(written) as QueueFilter; // checked by the queue
}

function planTask({ policy: _, deadAgainAfterMs, ...task }: Plan['tasks'][number]): PlanTask {
  const hasEnd = deadAgainAfterMs !== undefined && deadAgainAfterMs < Infinity;
  return { ...task, ...(hasEnd && { deadAgainAfterMs }) };
}

/** Which task a group is of, a plan does not say: a title is shown where it is the same for every one that it may be of. */
function maskedTitle({ mask }: Desk, value: string, tasks: Plan['tasks']): string {
  if (tasks.length > MAX_MASKING_TASKS) return UNSHOWN_TITLE;
  const titles = tasks.map(
    ({ task, version }) =>
      shownText({ kind: 'message', task, version, value }, { mask, limit: MAX_TITLE }).text,
  );
  const [title = UNSHOWN_TITLE] = titles;
  return titles.every((each) => each === title) ? title : UNSHOWN_TITLE;
}

function planCommand({
  ids = [],
  task,
  version,
  group,
  errorName,
  olderThan,
  newerThan,
  state,
}: PlanFilter): string {
  return commandOf(['dlq', 'redrive', ...ids], {
    task: version === undefined ? task : `${task}@${version}`,
    group,
    error: errorName,
    'older-than': durationText(olderThan),
    since: durationText(newerThan),
    state,
  });
}

function durationText(duration: string | number | undefined): string | undefined {
  return typeof duration === 'number' ? `${duration}ms` : duration;
}

const PLAN_GONE =
  'there is no such plan: it is kept for 15 minutes, by the process that made it. Make it again, and look at it again.';
