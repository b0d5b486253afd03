export { hideSecrets } from '../hide-secrets.ts';
export type { AbortSignalLike } from '../policy/abort-signal-like.ts';
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
  HeartbeatAnswer as BeatAnswer,
  HeartbeatRequest as Beat,
  LaneDepth,
  ListQuery,
  RedriveAnswer,
  RedriveOptions,
  Submission,
  SubmitAnswer,
  WaitOptions,
} from './broker.ts';
export { BrokerError, closedError, unsettledError } from './broker-error.ts';
export { checkInput } from './check-input.ts';
export type { RunDraft, RunIdentity as Identity } from './copy-run.ts';
export { copyRun, newRun, transitionRun } from './copy-run.ts';
export {
  isRefusedInput,
  keepableMs,
  MAX_BATCH_BYTES,
  runBytes,
  sizedPage,
  textProblem,
} from './limits.ts';
export type { AttemptError, Concurrency, Run } from './run.ts';
export type { SettleAnswer, Settlement } from './settlement.ts';
export { answerSettlement, settledBy } from './settlement.ts';
