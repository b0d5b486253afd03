export { chargedAttempts } from '../../decision/counters.ts';
export { checkInput } from './check-input.ts';
export type { CloseGate } from './close-gate.ts';
export { closedError, createCloseGate } from './close-gate.ts';
export type { RunDraft } from './copy-run.ts';
export { copyRun, newRun, transitionRun } from './copy-run.ts';
export type { Position } from './cursor.ts';
export { readCursor, writeCursor } from './cursor.ts';
export {
  ANSWER_LETTERS,
  answerOfLetter,
  DESTINATION_LETTERS,
  readAnswers,
  STATE_LETTERS,
  stateOfLetter,
} from './letters.ts';
export {
  isRefusedInput,
  keepableMs,
  MAX_BATCH_BYTES,
  runBytes,
  sizedPage,
  textProblem,
} from './limits.ts';
export { hideSecrets, hideSecretsInError, hideSecretsInValue, secretsIn, secretsOf } from './secrets.ts';
export {
  answerSettlement,
  destinationOf,
  refuseUnsettled,
  settledBy,
  unsettledError,
} from './settlement-rules.ts';
