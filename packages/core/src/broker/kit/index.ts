export { chargedAttempts } from '../../decision/counters.ts';
export { byEnd } from '../../lifecycle/run-state.ts';
export { MAX_GROUPS, OTHER_GROUP, UNREADABLE_GROUP } from '../insight/groups.ts';
export { MAX_NOTE_WRITES } from '../notes.ts';
export { carrySpent } from './carry-spent.ts';
export { checkInput } from './check/check-input.ts';
export { MAX_STARTS, MAX_WINDOW_MS } from './check/check-reservations.ts';
export { MAX_CARRIED, MAX_CONTEXT_BYTES, MAX_SPENT_BYTES, spentProblems } from './check/check-spent.ts';
export { MAX_CONCURRENCY, MAX_RETRY_BYTES } from './check/check-submission.ts';
export { TrustedExchange, TrustedWait } from './check/trusted.ts';
export type { CloseGate } from './close-gate.ts';
export { closedError, createCloseGate } from './close-gate.ts';
export type { RunDraft, RunIdentity } from './copy-run.ts';
export { copyRun, movedRun, newRun, transitionRun } from './copy-run.ts';
export type { Position } from './cursor.ts';
export { readCursor, writeCursor } from './cursor.ts';
export type { Extras } from './extras.ts';
export { hasExtras, readExtras, writeExtras } from './extras.ts';
export {
  compareHolds,
  compareText,
  HOLD_PREFIX,
  HOLD_SOURCES,
  heldLane,
  heldUntil,
  holdKey,
  holdsOn,
  nextWorkAt,
  passageOf,
  probedHold,
} from './holds.ts';
export type { AttendanceSource } from './insight/attendance.ts';
export { attendBy, listWorkers } from './insight/attendance.ts';
export { countAttempts } from './insight/count-attempts.ts';
export { withEntryRates } from './insight/entry-rates.ts';
export type { GroupedRun, KeptGroup } from './insight/error-groups.ts';
export {
  compareGroups,
  groupOf,
  isKeptLetter,
  joinedGroup,
  leftGroup,
  pageOfGroups,
  shownGroup,
  spentAttempts,
} from './insight/error-groups.ts';
export type { FigureSources } from './insight/figures.ts';
export { figuresBy } from './insight/figures.ts';
export type { LaneCounts, LaneSource } from './insight/lane-report.ts';
export { addCounted, holdsOf, MAX_REPORTED_LANES, reportLanes } from './insight/lane-report.ts';
export { readFacts, writeFacts } from './insight/worker-facts.ts';
export {
  ANSWER_LETTERS,
  answerOfLetter,
  DESTINATION_LETTERS,
  readAnswers,
  STATE_LETTERS,
  stateOfLetter,
} from './letters.ts';
export {
  compareUtf8,
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
export { changedNotes, isNoteKept, pageOfNotes, readNote, readNotes, writtenNote } from './notes.ts';
export { cancelRuns } from './operate/cancel-runs.ts';
export type { ChangeableBroker } from './operate/change-runs.ts';
export { endRuns } from './operate/end-runs.ts';
export { holdLanes, listHolds, resumeLanes } from './operate/hold-lanes.ts';
export { discardRuns, redriveRuns } from './operate/redrive-runs.ts';
export { rescheduleRuns } from './operate/reschedule-runs.ts';
export { MAX_OPERATION_IDS } from './operations/check-operation.ts';
export type { ClaimedOperation } from './operations/claim-operation.ts';
export { claimOperation, readOperationIds } from './operations/claim-operation.ts';
export {
  changeOperation,
  getOperation,
  listOperations,
  putOperation,
} from './operations/keep-operations.ts';
export type { OperationStep } from './operations/step-operation.ts';
export { stepOperation } from './operations/step-operation.ts';
export { partitionTag } from './partition-tag.ts';
export { createForgetOldLetters } from './retention/forget-old.ts';
export type {
  KeepCompleted,
  KeepDead,
  RetentionOptions,
  RetentionSettings,
  TrimmedText,
} from './retention/retention.ts';
export {
  isLongText,
  KEEP_BYTES,
  LONGEST_SHORT,
  longBytes,
  RETENTION_KEYS,
  readRetention,
  trimmedRun,
} from './retention/retention.ts';
export { answerChange, changedRun } from './run/change-rules.ts';
export { countStates } from './run/count-states.ts';
export { getBy } from './run/get-by.ts';
export { isListed, pageOfRuns, runToChange, withoutTexts } from './run/list-runs.ts';
export type { StoredCheck } from './run/read-stored.ts';
export { HISTORY_CHECKS, readStored } from './run/read-stored.ts';
export type { PackedError } from './run/run-errors.ts';
export {
  addError,
  isAttemptError,
  latestContext,
  MAX_ERRORS,
  PACKED_REST,
  packErrors,
  unpackErrors,
} from './run/run-errors.ts';
export type { FieldOf, HistoryField } from './run/run-fields.ts';
export { fieldsOf, hasPast, RUN_COUNTERS, storedHistory } from './run/run-fields.ts';
export { submittedRun } from './run/submitted-run.ts';
export {
  hideSecrets,
  hideSecretsInError,
  hideSecretsInValue,
  hideSecretsOfUrl,
  secretsIn,
  secretsOf,
} from './secrets.ts';
export {
  answerHeartbeat,
  answerSettlement,
  destinationOf,
  refuseUnsettled,
  settledBy,
  settledRun,
  unsettledError,
} from './settlement-rules.ts';
export type { StartCounts, StartsReserved, WindowCounts } from './start-counts.ts';
export {
  answerStarts,
  correctStarts,
  forgetStartsAt,
  reserveStarts,
  WINDOWS_OF_A_KEY,
} from './start-counts.ts';
export type { KeyHolder } from './unique-keys.ts';
export { hasKey, KEYS_LOOKED_AT, keyHolder, uniqueAnswer } from './unique-keys.ts';
export { fullLimit, limitedByTask } from './work/limits-of-claim.ts';
export type { Replies } from './work/replies.ts';
export { recallReply, rememberReply } from './work/replies.ts';
export { startWait } from './work/start-wait.ts';
