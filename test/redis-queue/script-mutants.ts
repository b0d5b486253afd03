import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { CLAIM_MUTANTS } from './claim-mutants.ts';
import { FAIRNESS_MUTANTS } from './fairness-mutants.ts';
import { GROUP_MUTANTS } from './group-mutants.ts';
import { INSIGHT_MUTANTS } from './insight-mutants.ts';
import { KEY_MUTANTS } from './key-mutants.ts';
import { NOTE_MUTANTS } from './note-mutants.ts';
import { OPERATOR_MUTANTS } from './operator-mutants.ts';
import { SETTLEMENT_MUTANTS } from './settlement-mutants.ts';
import { SUBMIT_MUTANTS } from './submit-mutants.ts';

/** One mistake for each law that the scripts keep. */
export const MUTANTS: readonly Mutant[] = [
  ...CLAIM_MUTANTS,
  ...SETTLEMENT_MUTANTS,
  ...SUBMIT_MUTANTS,
  ...OPERATOR_MUTANTS,
  ...KEY_MUTANTS,
  ...INSIGHT_MUTANTS,
  ...GROUP_MUTANTS,
  ...NOTE_MUTANTS,
  ...FAIRNESS_MUTANTS,
];
