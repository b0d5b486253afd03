import type { Explanation, Policy } from '@retry/core';
import { delayBounds, explain } from '@retry/core';
import type { Fields } from '@retry/core/fields';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import { isDeadLetter } from '@retry/core/lifecycle';
import type { RunView } from '@retry/worker';
import type { NextAttempt, RunAnswer, ShownRun, UnmaskRequest } from '../../api.ts';
import { BoardError } from '../../errors.ts';
import { commandOf } from '../../show/command.ts';
import type { Showing } from '../../show/shown-text.ts';
import { shownText } from '../../show/shown-text.ts';
import { demandReason, readBody, valuesOf } from '../body.ts';
import type { Call, Desk, ReadCall } from '../call.ts';
import { demand } from '../call.ts';
import { policyOf } from '../policy-of.ts';
import { attemptRows } from './attempt-rows.ts';
import { noteOf } from './run-acts.ts';

/** The most characters of a payload, a result, a message or a stack; of a payload with `whole=1`. */
const MAX_SHOWN = 65_536;
const MAX_WHOLE = 1_048_576;

/** `GET runs/:id`: masked for every visitor. */
export async function run({ desk, param, query }: ReadCall): Promise<RunAnswer> {
  const view = await viewOf(desk, param('id'));
  return answerOf(desk, view, { mask: desk.mask, limit: limitOf(query) });
}

/** `POST runs/:id/unmask`. The act is recorded before anything is shown. */
export async function unmask({ desk, visitor, param, query, body }: Call): Promise<RunAnswer> {
  demand(visitor, 'read');
  const request = readBody<UnmaskRequest>(body, { subject: 'unmask', keys: ['reason'] }, readUnmask);
  const view = await viewOf(desk, param('id'));
  const act = { kind: 'unmask', target: view.id, ...noteOf(visitor, request) } as const;
  await desk.acts.perform(act, async () => ({ answer: 'shown' }));
  return answerOf(desk, view, { mask: undefined, limit: limitOf(query) });
}

function readUnmask(fields: Fields): UnmaskRequest {
  demandReason(fields);
  return valuesOf<UnmaskRequest>(fields, ['reason']);
}

async function viewOf({ queue }: Desk, id: string): Promise<RunView> {
  const view = await queue.get(id);
  if (view !== undefined) return view;
  throw new BoardError('NOT_FOUND', `there is no run ${id}. It may have been deleted.`);
}

function limitOf(query: URLSearchParams): number {
  return query.get('whole') === '1' ? MAX_WHOLE : MAX_SHOWN;
}

function answerOf(desk: Desk, view: RunView, showing: Showing): RunAnswer {
  const { shown, policy } = policyOf(desk, view);
  const explanation = policy && explanationOf(policy, view);
  const next = nextAttempt(view, policy);
  return {
    run: shownRun(view, showing),
    attempts: attemptRows(view, showing),
    policy: shown,
    ...(explanation && { explanation }),
    ...(next && { next }),
    acts: desk.acts.ofRun(view.id),
    command: commandOf(['runs', 'show', view.id], {}),
  };
}

function shownRun(view: RunView, showing: Showing): ShownRun {
  const { payload, result, errors: _, retry: __, ...rest } = view;
  const { task, version } = view;
  return {
    ...rest,
    ...('payload' in view && {
      payload: shownText({ kind: 'payload', task, version, value: payload }, showing),
    }),
    ...('result' in view && { result: shownText({ kind: 'result', task, version, value: result }, showing) }),
  };
}

function explanationOf(
  policy: Policy,
  { errors, failures, stalls, carried }: RunView,
): Explanation | undefined {
  const error = errors.at(-1);
  if (error === undefined) return undefined;
  const { name, message, code, status, causeCode } = error;
  const cause = causeCode === undefined ? {} : { cause: { code: causeCode } };
  return explain(policy, { name, message, code, status, ...cause }, { failures: failures + carried, stalls });
}

function nextAttempt(run: RunView, policy?: Policy): NextAttempt | undefined {
  const { state, attempt, runAt, submittedAt } = run;
  if (isDeadLetter(state)) return { type: 'redrive', attempt: 1 };
  if (state === 'scheduled' || state === 'submitted')
    return { type: 'due', attempt, runAt: runAt ?? submittedAt ?? 0, ...delayOf(run, policy) };
  if (state !== 'started' || policy === undefined) return undefined;
  const settings = settingsOf(policy);
  if (!settings.retryable) return { type: 'none', reason: 'not-retryable' };
  if (attempt >= allowedAttempts(settings)) return { type: 'none', reason: 'exhausted' };
  const [minMs, maxMs] = delayBounds(policy, attempt);
  return { type: 'after-failure', attempt: attempt + 1, minMs, maxMs };
}

/** The bounds of the delay that the policy gives after the latest failure; a server or an operator may have set another one. */
function delayOf(run: RunView, policy?: Policy): Pick<Due, 'minMs' | 'maxMs'> {
  const { state, attempt, failures, stalls } = run;
  if (policy === undefined || state !== 'scheduled' || failures + stalls === 0) return {};
  const [minMs, maxMs] = delayBounds(policy, attempt - 1);
  return { minMs, maxMs };
}

type Due = Extract<NextAttempt, { readonly type: 'due' }>;
