import type { AnyTask, ResubmitOptions, RunView } from '@retry/worker';
import type { Visitor } from '../../access/rights.ts';
import type {
  Act,
  ActKind,
  ActRequest,
  RescheduleRequest,
  ResubmitRequest,
  RunActAnswer,
} from '../../api.ts';
import { BoardError } from '../../errors.ts';
import type { Mask } from '../../show/mask.ts';
import { shownText } from '../../show/shown-text.ts';
import { readBody } from '../body.ts';
import type { Call, Desk } from '../call.ts';

/** Who acts, and why. */
export function noteOf({ by }: Visitor, { reason }: ActRequest): Pick<Act, 'by' | 'reason'> {
  return { ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
}

/** An act that a visitor asked for. */
interface Asked<Request> {
  readonly id: string;
  readonly request: Request;
  readonly visitor: Visitor;
}

type RunAct<Request> = (desk: Desk, asked: Asked<Request>) => Promise<RunActAnswer>;

function actOn<Request extends ActRequest>(
  kind: ActKind,
  keys: readonly (keyof Request & string)[],
  perform: RunAct<Request>,
): (call: Call) => Promise<RunActAnswer> {
  return async ({ desk, visitor, param, body }) => {
    const request = readBody<Request>(body, { subject: kind, keys });
    const act = { kind, target: param('id'), ...noteOf(visitor, request) };
    return desk.acts.perform(act, () => perform(desk, { id: param('id'), request, visitor }));
  };
}

/** `POST runs/:id/run-now`. */
export const runNow: (call: Call) => Promise<RunActAnswer> = actOn<ActRequest>(
  'run-now',
  ['reason'],
  async ({ queue }, { id }) => ({ answer: await queue.runNow(id) }),
);

/** `POST runs/:id/cancel`. */
export const cancel: (call: Call) => Promise<RunActAnswer> = actOn<ActRequest>(
  'cancel',
  ['reason'],
  async ({ queue }, { id }) => ({ answer: await queue.cancel(id) }),
);

/** `POST runs/:id/reschedule`. */
export const reschedule: (call: Call) => Promise<RunActAnswer> = actOn<RescheduleRequest>(
  'reschedule',
  ['reason', 'runAt', 'delay'],
  async ({ queue }, { id, request: { reason: _, ...start } }) => ({
    answer: await queue.reschedule(id, start as Parameters<typeof queue.reschedule>[1]), // checked by the queue
  }),
);

/** `POST runs/:id/redrive`. */
export const redrive: (call: Call) => Promise<RunActAnswer> = actOn<ActRequest>(
  'redrive',
  ['reason'],
  async (desk, { id }) => {
    const ids = await desk.queue.deadLetters.redrive({ ids: [id] });
    return { answer: ids.includes(id) ? 'redriven' : await refusedOrGone(desk, id) };
  },
);

/** `POST runs/:id/discard`. Only dead letters: no other run that has ended is deleted by hand. */
export const discard: (call: Call) => Promise<RunActAnswer> = actOn<ActRequest>(
  'discard',
  ['reason'],
  async (desk, { id }) => {
    const ids = await desk.queue.deadLetters.discard({ ids: [id] });
    return { answer: ids.includes(id) ? 'discarded' : await refusedOrGone(desk, id) };
  },
);

async function refusedOrGone({ queue }: Desk, id: string): Promise<'refused' | 'gone'> {
  return (await queue.get(id)) === undefined ? 'gone' : 'refused';
}

/** `POST runs/:id/resubmit`. */
export const resubmit: (call: Call) => Promise<RunActAnswer> = actOn<ResubmitRequest>(
  'resubmit',
  ['reason', 'payload', 'delay'],
  async ({ queue, tasks, mask }, { id, request, visitor }) => {
    const run = await queue.get(id);
    if (run === undefined) return { answer: 'gone' };
    if (request.payload !== undefined && !visitor.rights.unmask) checkUnmasked(run, mask);
    const submitted = await queue.resubmit(id, resubmitOptions(request, tasks.get(run.lane)));
    return submitted === undefined ? { answer: 'gone' } : { answer: 'submitted', id: submitted.id };
  },
);

function resubmitOptions({ payload, delay }: ResubmitRequest, task: AnyTask | undefined): ResubmitOptions {
  return {
    ...(payload !== undefined && { payload: parsed(payload) }),
    ...(delay !== undefined && { delay: delay as NonNullable<ResubmitOptions['delay']> }), // checked by the queue
    ...(task !== undefined && { task }),
  };
}

function parsed(payload: unknown): unknown {
  try {
    return JSON.parse(typeof payload === 'string' ? payload : ''); // '' is none
  } catch (cause) {
    throw new BoardError('INVALID_JSON', 'the payload is not JSON. Write text in quotation marks.', {
      cause,
    });
  }
}

/** Who has not seen the whole payload cannot change it: what the mask put there would be stored. */
function checkUnmasked({ task, version, payload: value }: RunView, mask: Mask): void {
  const { isMasked } = shownText({ kind: 'payload', task, version, value }, { mask, limit: 0 });
  if (isMasked) throw new BoardError('PAYLOAD_MASKED', MASKED, { right: 'unmask' });
}

const MASKED =
  'the payload has parts that are masked, which would be stored as they are shown. Submit it unchanged, or with the right unmask.';
