export { chargedAttempts } from '../../decision/counters.ts';
export type { KeyHolder } from '../unique-keys.ts';
export { hasKey, KEYS_LOOKED_AT, keyHolder, uniqueAnswer } from '../unique-keys.ts';
export { checkInput } from './check/check-input.ts';
export { MAX_STARTS, MAX_WINDOW_MS } from './check/check-reservations.ts';
export { MAX_CONCURRENCY, MAX_RETRY_BYTES } from './check/check-submission.ts';
export type { CloseGate } from './close-gate.ts';
export { closedError, createCloseGate } from './close-gate.ts';
export type { RunDraft } from './copy-run.ts';
export { copyRun, newRun, transitionRun } from './copy-run.ts';
export type { Position } from './cursor.ts';
export { readCursor, writeCursor } from './cursor.ts';
export { withOutcome } from './end-by-hand.ts';
export type { Extras } from './extras.ts';
export { readExtras, writeExtras } from './extras.ts';
export {
  compareHolds,
  compareText,
  hasHoldEnded,
  holdOf,
  isHoldActive,
  outlasts,
  probedHold,
} from './holds.ts';
export {
  ANSWER_LETTERS,
  answerOfLetter,
  DESTINATION_LETTERS,
  readAnswers,
  STATE_LETTERS,
  stateOfLetter,
} from './letters.ts';
export {
  endBytes,
  isRefusedInput,
  keepableMs,
  MAX_BATCH_BYTES,
  runBytes,
  settlementBytes,
  sizedPage,
  submissionBytes,
  textProblem,
} from './limits.ts';
export { partitionTag } from './partition-tag.ts';
export { addError, MAX_ERRORS } from './run-errors.ts';
export { hideSecrets, hideSecretsInError, hideSecretsInValue, secretsIn, secretsOf } from './secrets.ts';
export {
  answerSettlement,
  destinationOf,
  refuseUnsettled,
  settledBy,
  unsettledError,
} from './settlement-rules.ts';
export type { StartCounts, StartsReserved } from './start-counts.ts';
export { forgetStartsAt, reserveStarts } from './start-counts.ts';
