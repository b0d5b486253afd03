import { delay, range } from './cmdx-delays.ts';
import { inheritance } from './cmdx-inheritance.ts';
import { gate, match, result, sequence } from './cmdx-runs.ts';
import type { SystemRunners } from './runner.ts';

export const cmdx: SystemRunners = {
  system: 'cmdx',
  versions: ['v2.0.1', 'main@fc92e183'],
  runners: { delay, custom: delay, range, sequence, eligibility: sequence, match, gate, inheritance, result },
};
