export { chargedAttempts } from '../../decision/counters.ts';
export { byEnd } from '../../lifecycle/run-state.ts';
export { HIDDEN, isSecret } from '../../secret-names.ts';
export { MAX_GROUPS, OTHER_GROUP, UNREADABLE_GROUP } from '../insight/groups.ts';
export { MAX_NOTE_WRITES } from '../notes.ts';
export { checkInput, TrustedExchange, TrustedWait } from './check/check-input.ts';
export { MAX_STARTS, MAX_WINDOW_MS } from './check/check-reservations.ts';
export { MAX_CONTEXT_BYTES, spentProblems } from './check/check-spent.ts';
export { MAX_CONCURRENCY, MAX_RETRY_BYTES } from './check/check-submission.ts';
export { isRefusedInput } from './check/refused-input.ts';
export type { CloseGate } from './close-gate.ts';
export { closedError, createCloseGate } from './close-gate.ts';
export type { RunDraft, RunIdentity } from './copy-run.ts';
export { copyRun, movedRun, newRun, transitionRun } from './copy-run.ts';
export type { Position } from './cursor.ts';
export { readCursor, writeCursor } from './cursor.ts';
export type { Extras } from './extras.ts';
export { carrySpent, readExtras, writeExtras } from './extras.ts';
export {
  HOLD_PREFIX,
  HOLD_SOURCES,
  heldLane,
  heldUntil,
  holdLanes,
  holdsOn,
  listHolds,
  nextWorkAt,
  passageOf,
  probedHold,
  resumeLanes,
} from './holds.ts';
export type { AttendanceSource } from './insight/attendance.ts';
export { attendBy, listWorkers } from './insight/attendance.ts';
export { countAttempts } from './insight/count-attempts.ts';
export type { GroupedRun, KeptGroup } from './insight/error-groups.ts';
export {
  groupOf,
  isKeptLetter,
  joinedGroup,
  leftGroup,
  pageOfGroups,
  shownGroup,
  spentAttempts,
} from './insight/error-groups.ts';
export type { FigureSources } from './insight/figures.ts';
export { figuresBy, withEntryRates } from './insight/figures.ts';
export type { LaneCounts, LaneSource } from './insight/lane-report.ts';
export { addCounted, countInLanes, MAX_REPORTED_LANES, reportLanes } from './insight/lane-report.ts';
export {
  ANSWER_LETTERS,
  DESTINATION_LETTERS,
  readAnswers,
  STATE_LETTERS,
  stateOfLetter,
} from './letters.ts';
export { changedNotes, isNoteKept, pageOfNotes, readNote, readNotes, writtenNote } from './notes.ts';
export { cancelRuns } from './operate/cancel-runs.ts';
export type { ChangeableBroker } from './operate/change-runs.ts';
export { endRuns } from './operate/end-runs.ts';
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
export { fnv1a, partitionTag } from './partition-tag.ts';
export { readBrokerOptions } from './read-broker-options.ts';
export type {
  KeepCompleted,
  KeepDead,
  RetentionOptions,
  RetentionSettings,
  TrimmedText,
} from './retention.ts';
export {
  createForgetOldLetters,
  isLongText,
  KEEP_BYTES,
  LONGEST_SHORT,
  longBytes,
  RETENTION_KEYS,
  RETENTION_SYNONYMS,
  readRetention,
  trimmedRun,
} from './retention.ts';
export { answerChange, changedRun } from './run/change-rules.ts';
export { countStates } from './run/count-states.ts';
export { getBy } from './run/get-by.ts';
export { isListed, pageOfRuns, runToChange, withoutTexts } from './run/list-runs.ts';
export type { PackedError } from './run/run-errors.ts';
export { addError, latestContext, MAX_ERRORS, packErrors } from './run/run-errors.ts';
export type { FieldOf, HistoryField, StoredCheck } from './run/run-fields.ts';
export {
  fieldsOf,
  HISTORY_CHECKS,
  hasPast,
  RUN_COUNTERS,
  readStored,
  storedHistory,
} from './run/run-fields.ts';
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
} from './settlement-rules.ts';
export { shellOption, shellWord } from './shell-words.ts';
export type { StartCounts, StartsReserved, WindowCounts } from './start-counts.ts';
export {
  answerStarts,
  correctStarts,
  forgetStartsAt,
  reserveStarts,
  WINDOWS_OF_A_KEY,
} from './start-counts.ts';
export type { BatchSize } from './storable/batches.ts';
export { batchLength, inBatches, sizedPage } from './storable/batches.ts';
export { keepableMs } from './storable/instants.ts';
export {
  endBytes,
  MAX_BATCH_BYTES,
  runBytes,
  settlementBytes,
  submissionBytes,
} from './storable/sizes.ts';
export { compareText, compareUtf8, textProblem } from './storable/texts.ts';
export type { KeyHolder } from './unique-keys.ts';
export { hasKey, KEYS_LOOKED_AT, keyHolder, uniqueAnswer } from './unique-keys.ts';
export { fullLimit, limitedByTask } from './work/limits-of-claim.ts';
export type { Replies } from './work/replies.ts';
export { recallReply, rememberReply } from './work/replies.ts';
export { startWait } from './work/start-wait.ts';
