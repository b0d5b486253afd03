import type { Fields } from '@retry/core/fields';
import { A_FUNCTION, askRandom, isAsync } from '@retry/core/fields';
import { systemClock } from './clock.ts';
import { errorText } from './error-text.ts';
import { warnRarely } from './warn-rarely.ts';

/** Returns a number in [0, 1). */
type Random = () => number;

/** Reads the option `random`. One of the user's always returns a number from now on; what it throws is a process warning. */
export function readRandom(fields: Fields): Random {
  const random = fields.optional('random', A_FUNCTION) as Random | undefined; // what it returns is checked below
  if (isAsync(random))
    fields.fail('random', 'must not be async', 'Return a number in [0, 1) without awaiting.');
  return random === undefined ? Math.random : guarded(random);
}

function guarded(random: Random): Random {
  return () => {
    try {
      const drawn = askRandom({ random });
      if (Number.isFinite(drawn)) return drawn;
      warnOf(new TypeError('it returned no number'));
    } catch (error) {
      warnOf(error);
    }
    return Math.random();
  };
}

const warn = warnRarely(systemClock);

function warnOf(error: unknown): void {
  const { message } = errorText(error);
  const cure = 'Math.random is asked instead. Mend it, or leave it out.';
  warn({ code: 'RETRY_UNHANDLED_ERROR', message: `the option random: ${message}`, cure });
}
