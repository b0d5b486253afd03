import type {
  ActKind,
  ActRequest,
  OperationAnswer,
  OperationChangeAnswer,
  OperationsAnswer,
} from '../api.ts';
import { BoardError } from '../errors.ts';
import { readBody } from './body.ts';
import type { Call, Desk } from './call.ts';
import { demand } from './call.ts';
import { noteOf } from './run/run-acts.ts';

/** `GET operations`. */
export async function operations({ queue, acts }: Desk): Promise<OperationsAnswer> {
  return { operations: await queue.operations.list(), acts: acts.latest() };
}

/** `GET operations/:id`. */
export async function operation({ desk, param }: Call): Promise<OperationAnswer> {
  const found = await desk.queue.operations.get(param('id'));
  if (found === undefined) throw unknownOperation(param('id'));
  return { operation: found };
}

/** `POST operations/:id/pause`, `…/resume` and `…/cancel`. What an operation does is also the right to change it. */
export function changeOperation(
  to: 'pause' | 'resume' | 'cancel',
): (call: Call) => Promise<OperationChangeAnswer> {
  return async (call) => {
    const { desk, visitor, param } = call;
    const request = readBody<ActRequest>(call.body, { subject: to, keys: ['reason'] });
    const { operation: found } = await operation(call);
    demand(visitor, found.kind);
    const kind: ActKind = `${to}-operation`;
    return desk.acts.perform({ kind, target: param('id'), ...noteOf(visitor, request) }, async () => ({
      answer: await desk.queue.operations[to](param('id')),
    }));
  };
}

function unknownOperation(id: string): BoardError {
  return new BoardError('NOT_FOUND', `there is no operation ${id}. The latest 100 that have ended are kept.`);
}
