import { changeEach } from '../change-each.ts';
import type { ConnectOptions } from '../connect/connect-options.ts';
import type { Action } from '../report.ts';

type Verb = 'pause' | 'resume' | 'cancel';

/** The actions that change operations. Exit status 1 unless all that were named are changed. */
export const changeActions: Readonly<Record<Verb, Action<ConnectOptions>>> = {
  pause: actionOf('pause', 'paused'),
  resume: actionOf('resume', 'resumed'),
  cancel: actionOf('cancel', 'cancelled'),
};

function actionOf(verb: Verb, done: string): Action<ConnectOptions> {
  const meanings = {
    changed: { text: done, isDone: true },
    refused: { text: 'refused: it has ended', isDone: false },
    gone: { text: 'there is no such operation', isDone: false },
  } as const;
  return (input) =>
    changeEach(input, { key: 'operations', meanings, change: ({ operations }, id) => operations[verb](id) });
}
