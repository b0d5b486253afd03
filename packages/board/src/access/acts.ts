import { channel } from 'node:diagnostics_channel';
import { isRetryError } from '@retry/core';
import type { Act } from '../api.ts';
import type { ErrorLog } from './error-log.ts';

/** What visitors have done. */
export interface Acts {
  /** Newest first. */
  readonly list: () => readonly Act[];
  /** Performs an act and records what came of it, also when it fails. */
  readonly perform: <Answer extends { readonly answer: string }>(
    act: Omit<Act, 'at' | 'answer'>,
    perform: () => Promise<Answer>,
  ) => Promise<Answer>;
}

/** How many acts are kept. */
const MAX_ACTS = 200;

const published = channel('retry:board:act');

/** Creates the record of a board's acts. */
export function createActs(onAct: ((act: Act) => void) | undefined, errors: ErrorLog): Acts {
  const acts: Act[] = [];
  const record = (act: Act): void => {
    acts.unshift(act);
    acts.length = Math.min(acts.length, MAX_ACTS);
    published.publish(act);
    try {
      onAct?.(act);
    } catch (error) {
      errors.report(error, 'calling onAct');
    }
  };
  return {
    list: () => [...acts],
    perform: async (act, perform) => {
      try {
        const answer = await perform();
        record({ ...act, at: Date.now(), answer: answer.answer });
        return answer;
      } catch (error) {
        record({
          ...act,
          at: Date.now(),
          answer: `error ${isRetryError(error) ? error.code : 'BROKER_FAILED'}`,
        });
        throw error;
      }
    },
  };
}
