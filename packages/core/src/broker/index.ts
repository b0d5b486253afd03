export type { AbortSignalLike } from '../fields/value-rules.ts';
export type {
  Attendance,
  Audit,
  Broker,
  CancelAnswer,
  Claim,
  ClaimedRun,
  DiscardAnswer,
  ExchangeReply,
  ExchangeRequest,
  ExpiredScope,
  GetOptions,
  HeartbeatAnswer,
  HeartbeatAnswer as BeatAnswer,
  HeartbeatRequest,
  HeartbeatRequest as Beat,
  LaneDepth,
  ListQuery,
  RedriveAnswer,
  RedriveOptions,
  Submission,
  SubmitAnswer,
  WaitOptions,
} from './broker.ts';
export type { BrokerErrorCode } from './broker-error.ts';
export { BrokerError } from './broker-error.ts';
export { checkInput } from './kit/check-input.ts';
export { closedError } from './kit/close-gate.ts';
// The kit's names, here too until every package imports them from `@retry/core/broker/kit`.
export type { RunDraft, RunIdentity, RunIdentity as Identity } from './kit/copy-run.ts';
export { copyRun, newRun, transitionRun } from './kit/copy-run.ts';
export {
  isRefusedInput,
  keepableMs,
  MAX_BATCH_BYTES,
  runBytes,
  sizedPage,
  textProblem,
} from './kit/limits.ts';
export { hideSecrets } from './kit/secrets.ts';
export { answerSettlement, settledBy, unsettledError } from './kit/settlement-rules.ts';
export type { AttemptError, Concurrency, Run } from './run.ts';
export type { SettleAnswer, Settlement } from './settlement.ts';
