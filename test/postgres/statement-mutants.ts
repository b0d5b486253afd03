import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { CLAIM_MUTANTS } from './claim-mutants.ts';
import { GROUP_MUTANTS } from './group-mutants.ts';
import { INSIGHT_MUTANTS } from './insight-mutants.ts';
import { KEY_MUTANTS } from './key-mutants.ts';
import { NOTE_MUTANTS } from './note-mutants.ts';
import { OPERATOR_MUTANTS } from './operator-mutants.ts';
import { SETTLEMENT_MUTANTS } from './settlement-mutants.ts';
import { TURN_MUTANTS } from './turn-mutants.ts';

/** One mistake for each promise that the SQL texts keep. */
export const MUTANTS: readonly Mutant[] = [
  ...CLAIM_MUTANTS,
  ...SETTLEMENT_MUTANTS,
  ...OPERATOR_MUTANTS,
  ...KEY_MUTANTS,
  ...TURN_MUTANTS,
  ...INSIGHT_MUTANTS,
  ...GROUP_MUTANTS,
  ...NOTE_MUTANTS,
];
