import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import type { Jitter } from './policy.ts';

const NAMES = ['none', 'full', 'equal', 'bounded'] as const;

const KEYS = ['proportional', 'down', 'plusMinus'] as const;

const SHARE = {
  accepts: (share: number): boolean => share >= 0 && share <= 1,
  message: 'must be a number from 0 to 1',
};

const CURES = {
  proportional: 'Use { proportional: 0.1 } for ± 10 %.',
  down: 'Use { down: 0.3 } for up to 30 % less.',
};

/** Reads `jitter`: a name, or an object with one key. */
export function readJitter(policy: Fields, fallback: 'none' | 'full', report: Report): Jitter {
  const given = policy.value('jitter');
  if (typeof given !== 'object' || given === null) {
    return policy.choice<(typeof NAMES)[number]>('jitter', fallback, NAMES);
  }
  const fields = readFields(given, 'jitter', { keys: KEYS, report });
  if (fields === undefined) return fallback;
  const written = KEYS.filter((key) => fields.value(key) !== undefined);
  if (written.length > 1)
    policy.fail('jitter', 'must have one key only', `Use one of ${written.join(', ')}.`);
  return Object.freeze(reachOf(written[0] ?? 'proportional', fields));
}

function reachOf(key: (typeof KEYS)[number], fields: Fields): Jitter {
  switch (key) {
    case 'proportional':
      // + 0 turns -0, which JSON cannot hold, into 0.
      return { proportional: fields.number(key, undefined, { ...SHARE, cure: CURES[key] }) + 0 };
    case 'down':
      return { down: fields.number(key, undefined, { ...SHARE, cure: CURES[key] }) + 0 };
    case 'plusMinus':
      return { plusMinusMs: fields.duration(key, undefined, { finite: true }) };
  }
}
