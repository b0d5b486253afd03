import type { Explanation, Policy } from '@retry/core';
import { delayBounds, explain } from '@retry/core';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import { isDeadLetter } from '@retry/core/lifecycle';
import type { RunView } from '@retry/worker';
import type { NextAttempt, RunAnswer, ShownRun } from '../../api.ts';
import { BoardError } from '../../errors.ts';
import { commandOf } from '../../show/command.ts';
import type { Showing } from '../../show/shown-text.ts';
import { shownText } from '../../show/shown-text.ts';
import type { Call } from '../call.ts';
import { demand } from '../call.ts';
import { policyOf } from '../policy-of.ts';
import { attemptRows } from './attempt-rows.ts';
import { noteOf } from './run-acts.ts';

/** The most characters of a payload, a result, a message or a stack; of a payload with `whole=1`. */
const MAX_SHOWN = 65_536;
const MAX_WHOLE = 1_048_576;

/** `GET runs/:id`. */
export async function run({ desk, visitor, param, query }: Call): Promise<RunAnswer> {
  const id = param('id');
  const isUnmasked = query.get('unmask') === '1';
  if (isUnmasked) demand(visitor, 'unmask');
  const view = await desk.queue.get(id);
  if (view === undefined)
    throw new BoardError('NOT_FOUND', `there is no run ${id}. It may have been deleted.`);
  if (isUnmasked) {
    const act = { kind: 'unmask', target: id, ...noteOf(visitor, {}) } as const;
    await desk.acts.perform(act, async () => ({ answer: 'shown' }));
  }
  const limit = query.get('whole') === '1' ? MAX_WHOLE : MAX_SHOWN;
  const showing = { mask: isUnmasked ? undefined : desk.mask, limit };
  const { shown, policy } = policyOf(desk, view);
  const explanation = policy && explanationOf(policy, view);
  const next = nextAttempt(view, policy);
  return {
    run: shownRun(view, showing),
    attempts: attemptRows(view, showing),
    policy: shown,
    ...(explanation && { explanation }),
    ...(next && { next }),
    command: commandOf(['runs', 'show', id], {}),
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

function nextAttempt(
  { state, attempt, runAt, submittedAt }: RunView,
  policy?: Policy,
): NextAttempt | undefined {
  if (isDeadLetter(state)) return { type: 'redrive', attempt: 1 };
  if (state === 'scheduled' || state === 'submitted')
    return { type: 'due', attempt, runAt: runAt ?? submittedAt ?? 0 };
  if (state !== 'started' || policy === undefined) return undefined;
  const settings = settingsOf(policy);
  if (!settings.retryable) return { type: 'none', reason: 'not-retryable' };
  if (attempt >= allowedAttempts(settings)) return { type: 'none', reason: 'exhausted' };
  const [minMs, maxMs] = delayBounds(policy, attempt);
  return { type: 'after-failure', attempt: attempt + 1, minMs, maxMs };
}
