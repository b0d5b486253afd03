import { changeEach } from '../change-each.ts';
import type { ConnectOptions } from '../connect/connect-options.ts';
import type { Action } from '../report.ts';

/** Lets no further run be taken. Exit status 1 unless all operations were paused. */
export const pauseAction = actionOf('pause', 'paused');

/** Carries on what was paused: by workers, not by this process. Exit status 1 unless all were. */
export const resumeAction = actionOf('resume', 'resumed');

/** Ends operations as they are. Exit status 1 unless all were cancelled. */
export const cancelAction = actionOf('cancel', 'cancelled');

function actionOf(verb: 'pause' | 'resume' | 'cancel', done: string): Action<ConnectOptions> {
  const meanings = {
    changed: { text: done, isDone: true },
    refused: { text: 'refused: it has ended', isDone: false },
    gone: { text: 'there is no such operation', isDone: false },
  } as const;
  return (input) =>
    changeEach(input, { key: 'operations', meanings, change: ({ operations }, id) => operations[verb](id) });
}
