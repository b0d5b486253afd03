import { channel } from 'node:diagnostics_channel';
import { isRetryError } from '@retry/core';
import type { Act, ActKind, ActsAnswer } from '../api.ts';
import type { ErrorLog } from './error-log.ts';
import { whenRejected } from './error-log.ts';

/** What visitors have done. */
export interface Acts {
  /** The latest ones, newest first. */
  readonly latest: () => ActsAnswer;
  /** Returns which of the latest acts were on this run, or have made it; newest first. */
  readonly ofRun: (id: string) => readonly Act[];
  /** Performs an act and records what came of it, also when it fails. */
  readonly perform: <Answer extends Performed>(
    act: Pick<Act, 'kind' | 'target' | 'by' | 'reason'>,
    perform: () => Promise<Answer>,
  ) => Promise<Answer>;
}

/** What came of an act. */
interface Performed {
  readonly answer: string;
  /** The id of what the act has made. */
  readonly id?: string;
}

/** What the target of each kind is. */
const ON: Readonly<Record<ActKind, Act['on']>> = {
  'apply-redrive': 'plan',
  'apply-discard': 'plan',
  'pause-operation': 'operation',
  'resume-operation': 'operation',
  'cancel-operation': 'operation',
  'run-now': 'run',
  reschedule: 'run',
  cancel: 'run',
  resubmit: 'run',
  redrive: 'run',
  discard: 'run',
  hold: 'lane',
  resume: 'lane',
  unmask: 'run',
  'remove-schedule': 'schedule',
};

/** How many acts are kept. */
const MAX_ACTS = 200;

const published = channel('retry:board:act');

/** Creates the record of a board's acts. */
export function createActs(onAct: ((act: Act) => void) | undefined, errors: ErrorLog): Acts {
  const acts: Act[] = [];
  const since = Date.now();
  const record = (performed: Omit<Act, 'at' | 'on'>): void => {
    const act = { ...performed, at: Date.now(), on: ON[performed.kind] };
    acts.unshift(act);
    acts.length = Math.min(acts.length, MAX_ACTS);
    published.publish(act);
    const failed = (error: unknown): void => errors.report(error, 'calling onAct');
    try {
      whenRejected(onAct?.(act), failed);
    } catch (error) {
      failed(error);
    }
  };
  return {
    latest: () => ({ acts: [...acts], since, limit: MAX_ACTS }),
    ofRun: (id) => acts.filter(({ on, target, made }) => on === 'run' && (target === id || made === id)),
    perform: async (act, perform) => {
      try {
        const answer = await perform();
        const { id: made } = answer;
        record({ ...act, answer: answer.answer, ...(made !== undefined && { made }) });
        return answer;
      } catch (error) {
        record({ ...act, answer: `error ${isRetryError(error) ? error.code : 'BROKER_FAILED'}` });
        throw error;
      }
    },
  };
}
